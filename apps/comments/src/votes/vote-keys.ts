import { createHash } from 'node:crypto'
import type { Comment } from '../comment.ts'

/** The key of an item of the table. */
export interface Key {
  readonly PK: { readonly S: string }
  readonly SK: { readonly S: string }
}

/** The part of a comment that its votes are stored under: a comment that comes later under the same id is another one. */
export type VotedComment = Pick<Comment, 'id' | 'productId' | 'createdAt'>

/**
 * Returns the keys of a vote's two items: one with the other votes for the comment, whose condition keeps a second vote out and by which they go
 * with it, and one with the person's other votes on the product, which a page reads at once. The table holds a hash of the person's id.
 */
export function voteKeys(person: string, { id, productId, createdAt }: VotedComment): readonly [Key, Key] {
  const voter = hashed(person)
  return [key(votesPartition(id), `${createdAt}#${voter}`), voterKey(voter, productId, id)]
}

/** Returns the partition of all votes for a comment. */
export function votesPartition(commentId: string): string {
  return `VOTES#${commentId}`
}

/** Returns the key of a vote among those of the person, from its sort key among those for the comment. */
export function voterKeyOf(sortKey: string, productId: string, commentId: string): Key {
  return voterKey(sortKey.slice(sortKey.indexOf('#') + 1), productId, commentId)
}

/** Returns the partition of all votes of a person, and the beginning of the sort keys of those on a product. */
export function votesOnProduct(
  person: string,
  productId: string,
): { readonly partition: string; readonly prefix: string } {
  return { partition: voterPartition(hashed(person)), prefix: productPrefix(productId) }
}

function voterKey(voter: string, productId: string, commentId: string): Key {
  return key(voterPartition(voter), `${productPrefix(productId)}${commentId}`)
}

function voterPartition(voter: string): string {
  return `VOTER#${voter}`
}

/** Ids of products may hold any character, so the prefix has a hash: none is the beginning of another. */
function productPrefix(productId: string): string {
  return `${hashed(productId)}#`
}

function key(PK: string, SK: string): Key {
  return { PK: { S: PK }, SK: { S: SK } }
}

function hashed(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
