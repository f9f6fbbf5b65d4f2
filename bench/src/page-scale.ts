import { type AttributeValue, CreateTableCommand, DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb'
import { createLapidary, type ListChange, segments, sortableId, tableFor } from 'lapidary'
import { createTableInput } from 'lapidary/schema'
import { openEngine } from 'lapidary-engine'
import type { BenchContext } from './bench.ts'
import { comments, LANGUAGE_SHARES, PRODUCT, RATING_SHARES } from './comments.ts'
import { rounded } from './measure.ts'
import { bytesOf, countTreeUnits } from './page-changes.ts'
import { pick, type Random } from './random.ts'
import type { Report } from './report.ts'
import { TABLE_NAME } from './stored-comments.ts'

/** Comments that are really put into a tree, for what its nodes hold and weigh. */
const SAMPLE = 40_000
const QUICK_SAMPLE = 8_000
const WRITES_PER_SECOND = 2_000
const SIZES = [10_000, 1_000_000, 10_000_000, 50_000_000, 100_000_000, 1_000_000_000]
/** Changes of one transaction of the store. */
const BATCH = 30

/** DynamoDB's: bytes of a read unit, read eventually; units a second of one partition. */
const UNIT_BYTES = 4_096
const EVENTUAL = 0.5
const PARTITION_WCU = 1_000
const PARTITION_RCU = 3_000
/** An assumption: what a transaction of a few items takes on AWS, in milliseconds. */
const TRANSACTION_MS = 15
const LARGEST = 1e12
/** What a page may take. */
const MOST_RCU = 30
const MOST_ROUNDS = 4
/** Of the tree: nodes of its top row before some go into a branch, and how many do. */
const MOST_TOP = 64
const FOLDED = 32
/** The list behind a page's place. */
const LIST = { rcu: 2.5, rounds: 1 } as const

/** What the nodes of a real tree hold and weigh, when comments came newest last. */
interface Shape {
  readonly entriesPerLeaf: number
  readonly leafBytes: number
  readonly leavesPerBranch: number
  readonly branchBytes: number
  /** Write units of a change, and transactions. */
  readonly unitsPerChange: number
  readonly transactionsPerChange: number
}

/** One product with up to 10^9 comments and 2,000 writes a second, computed from the nodes of a tree that the store really made. */
export async function pageScale({ random, quick }: BenchContext): Promise<Report> {
  const shape = await measureShape(quick ? QUICK_SAMPLE : SAMPLE, random)
  const sizes = SIZES.map((size) => ({ size, ...lookUp(shape, size) }))
  const limits = limitsOf(shape)
  const unitsPerSecond = shape.unitsPerChange * WRITES_PER_SECOND
  return {
    tables: [
      {
        title: 'A page of one product by its number, computed',
        columns: [
          'comments',
          'leaves',
          'levels',
          'nodes of the top row',
          'look-up, RCU',
          'rounds with the list',
          'tree, GB',
        ],
        rows: sizes.map(({ size, leaves, levels, top, rcu, rounds, bytes }) => [
          count(size),
          count(Math.round(leaves)),
          levels,
          Math.round(top),
          rounded(rcu, 1),
          rounds,
          rounded(bytes / 1e9, 2),
        ]),
      },
      {
        title: `${count(WRITES_PER_SECOND)} new comments a second of one product, computed`,
        columns: ['what', 'each second', 'DynamoDB takes'],
        rows: [
          ['write units of its tree, all in one partition', rounded(unitsPerSecond, 0), String(PARTITION_WCU)],
          [
            `transactions, one after the other, of ${BATCH} changes`,
            rounded(WRITES_PER_SECOND * shape.transactionsPerChange, 0),
            `${rounded(1_000 / TRANSACTION_MS, 0)}, at ${TRANSACTION_MS} ms each`,
          ],
          ['leaves that are filled and cut', rounded(WRITES_PER_SECOND / shape.entriesPerLeaf, 1), ''],
          ['branches that are cut', rounded(WRITES_PER_SECOND / shape.entriesPerLeaf / shape.leavesPerBranch, 2), ''],
          ['leaf and branch that every transaction writes', 1, 'hot: the newest of each'],
        ],
      },
      {
        title: 'What breaks first, and at which number',
        columns: ['limit', 'reached at'],
        rows: limits.map(({ limit, at }) => [limit, at]),
      },
    ],
    targets: [],
    figures: { shape, sizes, limits },
  }
}

/** The top row has the nodes of the highest level, and of each level below it the newest ones, half of those that go into a branch at once. */
function lookUp({ entriesPerLeaf, leafBytes, leavesPerBranch, branchBytes }: Shape, size: number) {
  const leaves = Math.max(1, size / entriesPerLeaf)
  let nodes = Math.max(1, leaves / leavesPerBranch)
  let [levels, most, bytes] = [1, MOST_TOP, leaves * leafBytes + nodes * branchBytes]
  for (; nodes > most; levels++) {
    most = MOST_TOP - FOLDED / 2
    nodes /= FOLDED
    bytes += nodes * branchBytes
  }
  const top = Math.min(MOST_TOP, nodes + ((levels - 1) * FOLDED) / 2)
  const rcu =
    unitsOf(top * branchBytes) +
    (levels - 1) * unitsOf(FOLDED * branchBytes) +
    unitsOf(Math.min(leaves, leavesPerBranch) * leafBytes)
  return { leaves, levels, top, rcu, rounds: 1 + levels + LIST.rounds, bytes }
}

function unitsOf(bytes: number): number {
  return EVENTUAL * Math.ceil(bytes / UNIT_BYTES)
}

/** Each limit, and the comments or the writes a second at which it is met; those of reading first. */
function limitsOf(shape: Shape): readonly { readonly limit: string; readonly at: string }[] {
  const sizeWhere = (isOver: (found: ReturnType<typeof lookUp>) => boolean): number => {
    let [low, high] = [1, LARGEST]
    while (high / low > 1.001) {
      const middle = Math.sqrt(low * high)
      if (isOver(lookUp(shape, middle))) high = middle
      else low = middle
    }
    return low
  }
  const overPrice = sizeWhere(({ rcu }) => rcu + LIST.rcu > MOST_RCU)
  const overRounds = sizeWhere(({ rounds }) => rounds > MOST_ROUNDS)
  const at = (n: number): string => count(Number(n.toPrecision(2)))
  const { rcu } = lookUp(shape, 1e9)
  return [
    {
      limit: `one writer of the newest leaf, at ${TRANSACTION_MS} ms a transaction`,
      at: `${at(1_000 / TRANSACTION_MS / shape.transactionsPerChange)} writes a second`,
    },
    {
      limit: `${PARTITION_WCU} write units a second of one partition`,
      at: `${at(PARTITION_WCU / shape.unitsPerChange)} writes a second`,
    },
    { limit: `${MOST_RCU} RCU for a page`, at: overPrice < LARGEST / 2 ? `${at(overPrice)} comments` : 'never' },
    { limit: `${MOST_ROUNDS} rounds`, at: `${at(overRounds)} comments` },
    {
      limit: `${PARTITION_RCU} read units a second of one partition, at 10^9 comments`,
      at: `${at(PARTITION_RCU / rcu)} pages a second`,
    },
  ]
}

async function measureShape(size: number, random: Random): Promise<Shape> {
  const engine = await openEngine()
  const client = new DynamoDBClient(engine.clientConfig)
  try {
    const { StreamSpecification: _, ...table } = createTableInput(
      tableFor({ tableName: TABLE_NAME, collections: { comments } }),
    )
    await client.send(new CreateTableCommand(table))
    const lapidary = createLapidary({
      ...{ client, tableName: TABLE_NAME, collections: { comments } },
      cursorSecret: 'a secret that only the bench knows',
      derived: { pages: segments() },
    })
    const lists = lapidary.comments.context.pages[0]?.lists
    if (lists === undefined) throw new Error('there is no page index')
    await lists.create()
    const written = countTreeUnits(client)
    for (let first = 0; first < size; first += BATCH) {
      await lists.apply('shard', changesFrom(first, Math.min(BATCH, size - first), random))
    }
    await lists.validate(PRODUCT)
    const { leaves, branches } = await nodesOf(client)
    const mean = (nodes: readonly number[]): number => nodes.reduce((all, each) => all + each, 0) / nodes.length
    return {
      // The newest of each is being filled.
      entriesPerLeaf: size / (leaves.length - 0.5),
      leafBytes: mean(leaves.slice(0, -1)),
      leavesPerBranch: leaves.length / (branches.length - 0.5),
      branchBytes: mean(branches),
      unitsPerChange: written.units / size,
      transactionsPerChange: written.transactions / size,
    }
  } finally {
    client.destroy()
    await engine.close()
  }
}

/** Bytes of the nodes of a tree, in the order of their fences. */
async function nodesOf(client: DynamoDBClient): Promise<{ readonly leaves: number[]; readonly branches: number[] }> {
  const nodes: Record<string, AttributeValue>[] = []
  for await (const { Items = [] } of paginateScan({ client }, { TableName: TABLE_NAME })) nodes.push(...Items)
  const sorted = nodes.sort((a, b) => ((a.SK?.S ?? '') < (b.SK?.S ?? '') ? -1 : 1))
  const bytesIn = (row: string): number[] => sorted.filter(({ SK }) => SK?.S?.startsWith(row) === true).map(bytesOf)
  return { leaves: bytesIn('L#'), branches: bytesIn('S#') }
}

/** New comments, two thousand a second, with ids as the library makes them. */
function changesFrom(first: number, length: number, random: Random): readonly ListChange[] {
  return Array.from({ length }, (_, i): ListChange => {
    const cell = `${pick(LANGUAGE_SHARES, random)}#${pick(RATING_SHARES, random)}`
    const score = 1_767_225_600_000 + Math.floor(((first + i) * 1_000) / WRITES_PER_SECOND)
    const sequenceNumber = String(1e9 + first + i)
    return {
      sequenceNumber,
      steps: [{ op: 'add', group: PRODUCT, cell, place: { score, member: sortableId(score, random) } }],
    }
  })
}

function count(n: number): string {
  return n.toLocaleString('en-US')
}
