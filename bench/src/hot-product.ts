import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { type Comment, generateComments, PRODUCT } from './comments.ts'
import { openCountedTable, readCounters } from './counted-table.ts'
import { readRegister } from './counts-register.ts'
import { rounded } from './measure.ts'
import { countNaively, NAIVE_SCOPE } from './naive-counts.ts'
import type { Random } from './random.ts'
import type { FigureTable, Target } from './report.ts'
import { entryOf, storeComments } from './stored-comments.ts'
import { countWriteUnits } from './write-units.ts'

const PER_SECOND = 500
const BATCH = 25
/** Changes that come between two commits at that rate: the poller makes one each half second. */
const GATHERED = PER_SECOND / 2

/** Targets of a change in the naive version: all of the product, and its language. */
const TARGETS = 2
/** What the naive version would pay for a board: its item, and the entry in the index moved. */
const NAIVE_BOARD_UNITS = 3

interface Counting {
  readonly comments: readonly Comment[]
  /** Creates a second that were really reached. */
  readonly rate: number
  readonly transactions: number
  readonly units: { readonly items: number; readonly boards: number; readonly checkpoints: number }
  /** Of one update per change and target; 0 in the run with a leaderboard, which leaves it out. */
  readonly naiveUnits: number
}

/** Write units for derived data while one product gets 500 comments a second, beside one update per change and target. */
export async function hotProduct(
  random: Random,
  quick: boolean,
): Promise<{ readonly table: FigureTable; readonly targets: readonly Target[]; readonly figures: unknown }> {
  const seconds = quick ? 2 : 10
  const plain = await measure(random, seconds, false)
  const led = await measure(random, seconds, true)
  const changes = plain.comments.length
  const fiveStars = led.comments.filter(({ rating }) => rating === 5).length
  const updates = changes * TARGETS + fiveStars * TARGETS
  const naiveLed = plain.naiveUnits + fiveStars * TARGETS * NAIVE_BOARD_UNITS
  const aCommit = ({ units: { items, boards, checkpoints }, transactions }: Counting): number =>
    (items + boards + checkpoints) / transactions
  // A slow machine gathers more changes in a commit than come in its time at the full rate: that is not counted in.
  const aChange = (counting: Counting): number =>
    aCommit(counting) / Math.min(changes / counting.transactions, GATHERED)
  const row = (name: string, counting: Counting, naive: number) => [
    name,
    rounded(counting.rate, 0),
    rounded(changes / counting.transactions, 0),
    rounded(aCommit(counting), 1),
    rounded(aChange(counting), 3),
    rounded(naive / changes, 3),
    rounded((aChange(counting) * changes) / naive, 3),
  ]
  return {
    table: {
      title: `Write units for derived data, ${changes} comments created on one product, ${PER_SECOND} a second offered`,
      columns: [
        'derived data',
        'creates a second',
        'changes a commit',
        'units a commit',
        `units a change, of ${GATHERED} a commit at most`,
        'with one update per change and target',
        'ratio',
      ],
      rows: [row('counts', plain, plain.naiveUnits), row('counts and a leaderboard', led, naiveLed)],
    },
    targets: [
      {
        name: 'write units for counts, per update of one per change and target',
        value: (aChange(plain) * changes) / plain.naiveUnits,
        limit: 0.1,
        kind: 'at most',
      },
      {
        name: 'the same with a leaderboard, updates of its index left out',
        value: (aChange(led) * changes) / updates,
        limit: 0.1,
        kind: 'at most',
      },
    ],
    figures: [plain, led].map(({ comments, ...figures }) => ({ changes: comments.length, ...figures })),
  }
}

async function measure(random: Random, seconds: number, leaderboard: boolean): Promise<Counting> {
  const comments = generateComments(seconds * PER_SECOND, random)
  await using table = await openCountedTable({ leaderboard })
  const units = countWriteUnits(table.pollerClient)
  let rate = 0
  {
    await using _poller = await table.startPoller()
    rate = await createAtRate(table.client, comments)
    await table.counted()
  }
  const { transactions, items, boards, checkpoints } = units
  await requireTrue(table.client, comments, (await readRegister(table.client)).partition(PRODUCT))
  return {
    comments,
    rate,
    transactions,
    units: { items, boards, checkpoints },
    naiveUnits: leaderboard ? 0 : await naiveUnits(table.client, comments),
  }
}

/** Batches of 25 on time; a late one makes none of the later ones later. */
export async function createAtRate(
  client: DynamoDBClient,
  comments: readonly Comment[],
  perSecond = PER_SECOND,
): Promise<number> {
  const startedAt = performance.now()
  const underWay: Promise<void>[] = []
  for (let first = 0; first < comments.length; first += BATCH) {
    const wait = startedAt + (first / perSecond) * 1000 - performance.now()
    if (wait > 0) await sleep(wait)
    underWay.push(storeComments(client, comments.slice(first, first + BATCH).map(entryOf), 1))
  }
  await Promise.all(underWay)
  return comments.length / ((performance.now() - startedAt) / 1000)
}

async function naiveUnits(client: DynamoDBClient, comments: readonly Comment[]): Promise<number> {
  const { units } = await countNaively(client, comments)
  await requireTrue(client, comments, NAIVE_SCOPE)
  return units
}

/** What was counted has to be what a recount says. */
export async function requireTrue(client: DynamoDBClient, comments: readonly Comment[], scope: string): Promise<void> {
  const languages = new Set(comments.map(({ language }) => language))
  for (const language of [undefined, ...languages]) {
    const truth: Record<string, number> = {}
    for (const comment of comments) {
      if (language !== undefined && comment.language !== language) continue
      for (const name of [`count_${comment.rating}`, 'count_total']) truth[name] = (truth[name] ?? 0) + 1
    }
    const counters = await readCounters(client, scope, language ?? '~')
    if (!isDeepStrictEqual(counters, truth)) {
      throw new Error(`${scope} counts ${JSON.stringify(counters)}, there are ${JSON.stringify(truth)}`)
    }
  }
}
