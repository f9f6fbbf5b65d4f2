import { setTimeout as sleep } from 'node:timers/promises'
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { generateComments, PRODUCT } from './comments.ts'
import { openCountedTable, readCounters } from './counted-table.ts'
import { readRegister } from './counts-register.ts'
import { createAtRate, requireTrue } from './hot-product.ts'
import { rounded } from './measure.ts'
import type { Random } from './random.ts'
import type { FigureTable, Target } from './report.ts'
import { countWriteUnits } from './write-units.ts'

const SHARDS = [1, 4, 16] as const
/** As much as a slow machine keeps up with: what it does late is gathered, and would cost less than it does. */
const PER_SECOND = 200

const COUNTED_WITHIN_MS = 120_000

interface Counting {
  readonly shards: number
  readonly changes: number
  /** From the first write until all is counted. */
  readonly seconds: number
  readonly commits: number
  readonly refused: number
  readonly units: number
}

/** One product whose comments lie in several shards of the change stream: what its counters cost, and how often lanes collide. */
export async function hotShards(
  random: Random,
  quick: boolean,
): Promise<{ readonly table: FigureTable; readonly targets: readonly Target[]; readonly figures: unknown }> {
  const countings: Counting[] = []
  for (const shards of SHARDS) countings.push(await measure(random, quick ? 3 : 20, shards))
  const [one] = countings
  const many = countings.at(-1)
  if (one === undefined || many === undefined) throw new Error('nothing was measured')
  const aChange = ({ units, changes }: Counting): number => units / changes
  const share = ({ refused, commits }: Counting): number => refused / (refused + commits)
  return {
    table: {
      title: `Counters of one product in several shards, ${one.changes} comments created, ${PER_SECOND} a second offered`,
      columns: [
        'shards',
        'counted a second',
        'changes a commit',
        'refused, %',
        'units a change',
        'of those of 1 shard',
      ],
      rows: countings.map((counting) => [
        counting.shards,
        rounded(counting.changes / counting.seconds, 0),
        rounded(counting.changes / counting.commits, 0),
        rounded(share(counting) * 100, 1),
        rounded(aChange(counting), 3),
        rounded(aChange(counting) / aChange(one), 2),
      ]),
    },
    targets: [
      { name: 'refused transactions at 16 shards, %', value: share(many) * 100, limit: 5, kind: 'at most' },
      {
        name: 'write units a change at 16 shards, of those at 1 shard',
        value: aChange(many) / aChange(one),
        limit: 1.2,
        kind: 'at most',
      },
    ],
    figures: countings,
  }
}

async function measure(random: Random, seconds: number, shards: number): Promise<Counting> {
  const comments = generateComments(seconds * PER_SECOND, random)
  await using table = await openCountedTable({ shards })
  await using _poller = await table.startPoller()
  const units = countWriteUnits(table.pollerClient)
  const startedAt = performance.now()
  await createAtRate(table.client, comments, PER_SECOND)
  await untilCounted(table.client, comments.length)
  const took = (performance.now() - startedAt) / 1000
  await requireTrue(table.client, comments, (await readRegister(table.client)).partition(PRODUCT))
  const { transactions, refused, items, checkpoints, leases } = units
  return {
    ...{ shards, changes: comments.length, seconds: took, commits: transactions, refused },
    units: items + checkpoints - leases,
  }
}

async function untilCounted(client: DynamoDBClient, comments: number): Promise<void> {
  const from = performance.now()
  const counts = (await readRegister(client)).partition(PRODUCT)
  while ((await readCounters(client, counts, '~')).count_total !== comments) {
    if (performance.now() - from > COUNTED_WITHIN_MS) throw new Error('the poller does not catch up')
    await sleep(50)
  }
}
