import { GetItemCommand, QueryCommand, type QueryCommandOutput, type TransactWriteItem } from '@aws-sdk/client-dynamodb'
import { increment, type PlannedWrites } from 'lapidary'
import { HttpProblem } from 'lapidary-http/internal'
import type { Comment } from '../comment.ts'
import { asRead, inOneTransaction } from '../people/in-one-transaction.ts'
import type { Person } from '../people/person.ts'
import type { Services } from '../services.ts'
import { type Key, voteKeys, votesOnProduct } from './vote-keys.ts'

/** The part of the services that votes need. */
export type VotedServices = Pick<Services, 'comments'>

/**
 * Counts a person's vote for a comment, once: the vote and the comment's count with its place in the order of votes are one transaction. The
 * comment's version stays, so that its author can still change what they have read.
 *
 * @throws {LapidaryError} `not_found`, `unavailable`.
 * @throws {HttpProblem} `forbidden` for one's own comment.
 */
export async function vote(services: VotedServices, person: Pick<Person, 'id'>, id: string): Promise<void> {
  await inOneTransaction(services.comments.context, async () => {
    const { comment, keys, isThere } = await votedComment(services, person, id)
    if (comment.person === person.id) throw new HttpProblem('forbidden', 'this is your own comment; others vote for it')
    const { productId } = comment
    if (isThere) return { writes: [], answer: undefined, productId }
    const [ofComment, ofPerson] = keys
    const { tableName: TableName } = services.comments.context.table
    const writes: TransactWriteItem[] = [
      ...(await asRead(counted(services, comment, 1))),
      {
        Put: {
          TableName,
          Item: { ...ofComment, p: { S: productId } },
          ConditionExpression: 'attribute_not_exists(PK)',
        },
      },
      { Put: { TableName, Item: { ...ofPerson, c: { S: comment.createdAt } } } },
    ]
    return { writes, answer: undefined, productId }
  })
}

/**
 * Takes a person's vote for a comment back, if there is one.
 *
 * @throws {LapidaryError} `not_found`, `unavailable`.
 */
export async function withdrawVote(services: VotedServices, person: Pick<Person, 'id'>, id: string): Promise<void> {
  await inOneTransaction(services.comments.context, async () => {
    const { comment, keys, isThere } = await votedComment(services, person, id)
    const { productId } = comment
    if (!isThere) return { writes: [], answer: undefined, productId }
    const [ofComment, ofPerson] = keys
    const { tableName: TableName } = services.comments.context.table
    const writes: TransactWriteItem[] = [
      // An import may have set the count to less than the votes that are here.
      ...(comment.helpful > 0 ? await asRead(counted(services, comment, -1)) : []),
      { Delete: { TableName, Key: { ...ofComment }, ConditionExpression: 'attribute_exists(PK)' } },
      { Delete: { TableName, Key: { ...ofPerson } } },
    ]
    return { writes, answer: undefined, productId }
  })
}

/** The comments of a product that a person has voted for. */
export interface OwnVotes {
  has(comment: Pick<Comment, 'id' | 'createdAt'>): boolean
  /** RCU of the read. */
  readonly rcu: number
}

/** Reads for which comments of a product a person has voted: one Query, consistent, so that a vote shows at once. */
export async function votesOf(
  { comments }: VotedServices,
  person: Pick<Person, 'id'>,
  productId: string,
): Promise<OwnVotes> {
  const { table } = comments.context
  const { partition, prefix } = votesOnProduct(person.id, productId)
  const voted = new Map<string, string>()
  let rcu = 0
  let start: QueryCommandOutput['LastEvaluatedKey']
  do {
    const page: QueryCommandOutput = await table.send(
      new QueryCommand({
        TableName: table.tableName,
        KeyConditionExpression: 'PK = :voter AND begins_with(SK, :product)',
        ExpressionAttributeValues: { ':voter': { S: partition }, ':product': { S: prefix } },
        ConsistentRead: true,
        ReturnConsumedCapacity: 'TOTAL',
        ExclusiveStartKey: start,
      }),
    )
    for (const { SK, c } of page.Items ?? []) voted.set(SK?.S?.slice(prefix.length) ?? '', c?.S ?? '')
    rcu += page.ConsumedCapacity?.CapacityUnits ?? 0
    start = page.LastEvaluatedKey
  } while (start !== undefined)
  return { has: ({ id, createdAt }) => voted.get(id) === createdAt, rcu }
}

interface VotedComment {
  readonly comment: Comment
  readonly keys: readonly [Key, Key]
  /** Whether the person has voted for it. */
  readonly isThere: boolean
}

async function votedComment(
  { comments }: VotedServices,
  { id: person }: Pick<Person, 'id'>,
  id: string,
): Promise<VotedComment> {
  const comment = await comments.get(id)
  const { table } = comments.context
  const keys = voteKeys(person, comment)
  const { Item } = await table.send(
    new GetItemCommand({ TableName: table.tableName, Key: { ...keys[0] }, ConsistentRead: true }),
  )
  return { comment, keys, isThere: Item !== undefined }
}

/** Plans another count of a comment, on the condition that it is the one that was read. */
function counted({ comments }: VotedServices, { id, createdAt }: Comment, by: 1 | -1): Promise<PlannedWrites<Comment>> {
  return comments.writes.patch(id, { helpful: increment(by) }, { keepVersion: true, if: { createdAt } })
}
