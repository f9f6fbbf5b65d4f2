import { randomUUID } from 'node:crypto'
import { DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import type { Change } from '../derived/change.ts'
import { keyEntry } from '../derived/guarded-write.ts'
import { WHOLE } from '../model/reserved-keys.ts'
import { TTL_ATTRIBUTE } from '../model/reserved-names.ts'
import { inLanes } from '../table/in-lanes.ts'
import type { TableClient } from '../table/table-client.ts'

/**
 * Items that are written only to be seen again in the change stream: what was written to a partition of the table before one is
 * in its shard before it.
 */
export interface Probes extends AsyncDisposable {
  /** Writes so many more probes for a look, to keys that a hash spreads over the table, and waits for the answers. */
  write(look: number, count: number): Promise<void>
  /** The look that a change belongs to, if it is a probe of these. Notes that it was seen. */
  seen(change: Change): number | undefined
  /** How many were written for a look, and not seen. */
  unseen(look: number): number
}

const PROBE = '~PROBE#'
const KEPT_SECONDS = 86_400
const AT_ONCE = 32

/**
 * @param table Writes them, as it is paced.
 * @param unpaced Removes them, also once the work is stopped.
 * @param clock For the time at which DynamoDB may remove what a process that died has left.
 */
export function createProbes(table: TableClient, unpaced: TableClient, clock: () => number): Probes {
  const { tableName: TableName } = table
  const prefix = `${PROBE}${randomUUID()}#`
  const pending = new Map<number, Set<string>>()
  const written: string[] = []
  const early = new Set<string>()

  async function writeOne(look: number): Promise<void> {
    const PK = `${prefix}${written.length}`
    written.push(PK)
    const expires = String(Math.floor(clock() / 1000) + KEPT_SECONDS)
    const Item = { ...keyEntry({ PK, SK: WHOLE }), look: { N: String(look) }, [TTL_ATTRIBUTE]: { N: expires } }
    await table.send(new PutItemCommand({ TableName, Item, ReturnConsumedCapacity: 'TOTAL' }))
    if (!early.delete(PK)) pending.get(look)?.add(PK)
  }

  return {
    async write(look, count) {
      if (!pending.has(look)) pending.set(look, new Set())
      const failures: unknown[] = []
      const attempt = () => writeOne(look).catch((error: unknown) => failures.push(error))
      await inLanes(Array.from({ length: count }), AT_ONCE, attempt)
      // One that may not have been written is not waited for; the others prove as much.
      if (failures.length === count) throw failures[0]
    },
    seen({ key: { PK }, after }) {
      if (after === undefined || !PK.startsWith(prefix)) return undefined
      const look = Number(after.look?.N)
      if (pending.get(look)?.delete(PK) !== true) early.add(PK)
      return look
    },
    unseen: (look) => pending.get(look)?.size ?? 0,
    async [Symbol.asyncDispose]() {
      const remove = (PK: string, by: TableClient) =>
        by.send(new DeleteItemCommand({ TableName, Key: keyEntry({ PK, SK: WHOLE }) }))
      // Once the work is stopped its pace is, too.
      await inLanes(written, AT_ONCE, (PK) =>
        remove(PK, table)
          .catch(() => remove(PK, unpaced))
          .catch(() => undefined),
      )
    },
  }
}
