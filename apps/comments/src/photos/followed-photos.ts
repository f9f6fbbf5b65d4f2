import { isDeepStrictEqual } from 'node:util'
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import type { Change, CopyProjection } from 'lapidary'
import { attachedTo, type Comment, comments } from '../comment.ts'
import { idInKey, mayKeepComment, readKept, shownKey, storedName } from '../kept-comment.ts'
import { ifFound } from '../people/found-comment.ts'
import { asRead, inOneTransaction, stillThere } from '../people/in-one-transaction.ts'
import { type GalleryEntry, gallery } from './gallery.ts'
import type { FollowedPhotos } from './photos.ts'

const [ID, ATTACHED] = [storedName('id'), storedName('attached')]

/**
 * Makes what follows the photos of comments through the change stream, whoever wrote or deleted them: the gallery shows those of comments that are
 * shown, and photos that no comment names any more are removed for good. One that a moderator has taken from the lists keeps its photos, where its author
 * and moderators alone see them.
 *
 * The table decides, and not the change, which may come late and again. It follows the stream apart: nothing else waits for a storage that is away.
 */
export function followedPhotos(keptBy: () => FollowedPhotos): CopyProjection {
  return {
    name: 'photos',
    collection: comments.name,
    apart: 'photos',
    isItem: (key) => mayKeepComment(key) || isGalleryEntry(key),
    async apply(changes) {
      const named = createNamed()
      for (const { key, before, after } of changes) if (mayKeepComment(key)) named.add(key, before, after)
      await named.follow(keptBy())
    },
    async fill() {
      const named = createNamed()
      return {
        take({ PK, SK, ...item }) {
          // An entry tells of photos whose comment was deleted while no process followed.
          named.add({ PK: PK?.S ?? '', SK: SK?.S ?? '' }, item)
          return true
        },
        async flush(least = 0) {
          if (named.size >= least) await named.follow(keptBy())
        },
        finish: () => named.follow(keptBy()),
      }
    },
  }
}

function isGalleryEntry({ PK, SK }: Change['key']): boolean {
  return SK === '~' && PK.startsWith(`${gallery.name}#`)
}

/** Collects comments by the photos that they had before changes, or have since. */
function createNamed() {
  const named = new Map<string, { readonly id: string; readonly photos: readonly string[] }>()
  return {
    get size() {
      return named.size
    },
    add(key: Change['key'], ...images: readonly Change['before'][]): void {
      const id = images.find((image) => image !== undefined)?.[ID]?.S
      const photos = images.flatMap((image) => photosOf(image))
      if (id === undefined || photos.length === 0) return
      const idKey = idInKey(key)
      named.set(idKey, { id, photos: [...(named.get(idKey)?.photos ?? []), ...photos] })
    },
    /** Makes gallery and storage be what the comments are, and forgets them. */
    async follow(kept: FollowedPhotos): Promise<void> {
      for (const [idKey, { id, photos }] of named) {
        await showInGallery(kept, idKey, id)
        await forgetUnnamed(kept, idKey, photos)
      }
      named.clear()
    },
  }
}

/** Returns the ids of the photos of a comment, as an item has it that is one, holds one or is its entry in the gallery. */
function photosOf(item: Change['before']): readonly string[] {
  const { M: attached, L: photos } = item?.[ATTACHED] ?? item?.comment?.M?.attached ?? {}
  return (photos ?? attached?.photos?.L ?? []).flatMap(({ M }) => M?.id?.S ?? [])
}

async function forgetUnnamed(
  { comments, photos }: FollowedPhotos,
  idKey: string,
  ids: readonly string[],
): Promise<void> {
  const { shown, held } = await readKept(comments.context.table, idKey)
  const named = new Set([...photosOf(shown), ...photosOf(held)])
  await photos.forget([...new Set(ids)].filter((id) => !named.has(id)))
}

/** Makes the gallery's entry of a comment be what the comment is, in a transaction that holds only while the comment is as it was read. */
async function showInGallery({ comments, gallery }: FollowedPhotos, idKey: string, id: string): Promise<void> {
  await inOneTransaction(comments.context, async () => {
    const [comment, entry] = await Promise.all([ifFound(comments.get(id)), ifFound(gallery.get(id))])
    const wanted = entryOf(comment)
    const productId = wanted?.productId ?? entry?.productId ?? ''
    if (isDeepStrictEqual(wanted, withoutVersion(entry))) return { writes: [], answer: undefined, productId }
    const writes = await asRead(
      wanted === undefined
        ? gallery.writes.delete(id, { ifVersion: entry?.version })
        : entry === undefined
          ? gallery.writes.create(wanted)
          : gallery.writes.replace(wanted, { ifVersion: entry.version }),
    )
    const { tableName: TableName } = comments.context.table
    const unchanged: TransactWriteItem =
      comment === undefined
        ? { ConditionCheck: { TableName, Key: shownKey(idKey), ConditionExpression: 'attribute_not_exists(PK)' } }
        : stillThere(await asRead(comments.writes.delete(id, { ifVersion: comment.version })))
    return { writes: [...writes, unchanged], answer: undefined, productId }
  })
}

type Entry = Omit<GalleryEntry, 'version'>

function entryOf(comment: Comment | undefined): Entry | undefined {
  if (comment === undefined) return undefined
  const photos = [...attachedTo(comment).photos]
  const { id, productId, author, rating, createdAt } = comment
  return photos.length === 0 ? undefined : { id, productId, author, rating, createdAt, photos }
}

function withoutVersion(entry: GalleryEntry | undefined): Entry | undefined {
  if (entry === undefined) return undefined
  const { version: _, ...shown } = entry
  return shown
}
