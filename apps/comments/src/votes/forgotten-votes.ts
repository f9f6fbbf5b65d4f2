import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  QueryCommand,
  type QueryCommandOutput,
} from '@aws-sdk/client-dynamodb'
import type { Change, CopyProjection } from 'lapidary'
import { comments } from '../comment.ts'
import { idInKey, type KeptTable, mayKeepComment, readKept, SHOWN, storedName } from '../kept-comment.ts'
import { voterKeyOf, votesPartition } from './vote-keys.ts'

const [ID, CREATED_AT] = [storedName('id'), storedName('createdAt')]
const TOGETHER = 25

/**
 * Makes what forgets the votes for comments that are gone, whoever deleted them: it follows the change stream. A comment that a moderator has
 * taken from the lists keeps its votes, and so does one that is there again: the table decides, and not the change, which may come late and again.
 *
 * A process that follows the stream without it leaves such votes where they are. They count for nothing: another comment of the same id has
 * another time.
 */
export function forgottenVotes(tableOf: () => KeptTable): CopyProjection {
  return {
    name: 'votes',
    collection: comments.name,
    isItem: mayKeepComment,
    async apply(changes) {
      // Of several changes of one item the last is enough.
      const ended = new Map(changes.filter(mayEnd).map((change) => [change.key.PK, change]))
      for (const change of ended.values()) await forgetVotes(tableOf(), change)
    },
  }
}

/** Tells whether a comment may be gone with a change, or be another one since. */
function mayEnd({ key, before, after }: Change): boolean {
  if (before === undefined) return false
  return after === undefined || (key.PK.startsWith(SHOWN) && before[CREATED_AT]?.S !== after[CREATED_AT]?.S)
}

async function forgetVotes(table: KeptTable, { key, before }: Change): Promise<void> {
  const id = before?.[ID]?.S
  if (id === undefined) return
  const kept = await timeOfComment(table, idInKey(key))
  let start: QueryCommandOutput['LastEvaluatedKey']
  do {
    const page: QueryCommandOutput = await table.send(
      new QueryCommand({
        TableName: table.tableName,
        KeyConditionExpression: 'PK = :votes',
        ExpressionAttributeValues: { ':votes': { S: votesPartition(id) } },
        ConsistentRead: true,
        ExclusiveStartKey: start,
      }),
    )
    const gone = (page.Items ?? []).filter(({ SK }) => kept === undefined || SK?.S?.startsWith(`${kept}#`) !== true)
    for (let i = 0; i < gone.length; i += TOGETHER)
      await Promise.all(gone.slice(i, i + TOGETHER).map(({ SK, p }) => forgetVote(table, id, SK?.S ?? '', p?.S ?? '')))
    start = page.LastEvaluatedKey
  } while (start !== undefined)
}

/** The entry among the person's own votes goes first, unless it is of a vote for another comment that has the id now. */
async function forgetVote(table: KeptTable, id: string, sortKey: string, productId: string): Promise<void> {
  const { tableName: TableName } = table
  try {
    await table.send(
      new DeleteItemCommand({
        TableName,
        Key: { ...voterKeyOf(sortKey, productId, id) },
        ConditionExpression: 'c = :time',
        ExpressionAttributeValues: { ':time': { S: sortKey.slice(0, sortKey.indexOf('#')) } },
      }),
    )
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error
  }
  await table.send(new DeleteItemCommand({ TableName, Key: { PK: { S: votesPartition(id) }, SK: { S: sortKey } } }))
}

/** Returns the time of a comment that is shown or held; undefined where there is none. */
async function timeOfComment(table: KeptTable, idKey: string): Promise<string | undefined> {
  const { shown, held } = await readKept(table, idKey)
  return shown?.[CREATED_AT]?.S ?? held?.comment?.M?.createdAt?.S
}
