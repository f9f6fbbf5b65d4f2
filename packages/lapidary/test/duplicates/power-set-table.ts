import { type AttributeValue, type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb'
import { createLapidary, type Lapidary, type LapidaryOptions, type PowerSetOptions, powerSet } from 'lapidary'
import { escapeComponent } from 'lapidary/layouts'
import { createSdkClient, dropTables, type TestEngine, uniqueTableName } from '../../../../test/engines/index.ts'
import { type Comment, comments } from '../comments-fixture.ts'

export type Entry = Record<string, AttributeValue>
export type Comments = { comments: typeof comments }

export const QUICK = { idleMs: 20 } as const
export const RATINGS = [1, 2, 3, 4, 5] as const
const LANGUAGES = ['en', 'de', '~'] as const

/** A table of comments by power set. */
export interface PowerSetTable extends AsyncDisposable {
  readonly client: DynamoDBClient
  readonly tableName: string
  readonly lapidary: Lapidary<Comments>
  /** The same table as another process sees it. */
  through(client: DynamoDBClient, options?: Partial<LapidaryOptions<Comments>>): Lapidary<Comments>
  entries(): Promise<readonly Entry[]>
  /** Waits until the change stream is counted, for which a poller has to run. */
  counted(): Promise<void>
}

export async function openPowerSet(engine: TestEngine, options: PowerSetOptions): Promise<PowerSetTable> {
  const client = createSdkClient(engine)
  const tableName = uniqueTableName()
  const through: PowerSetTable['through'] = (sender, more = {}) =>
    createLapidary({
      ...{ client: sender, tableName, collections: { comments }, cursorSecret: 'a secret of the tests' },
      ...{ layout: powerSet(options), stream: { immediate: true }, derived: { counts: true } },
      ...more,
    })
  const lapidary = through(client)
  await lapidary.table.create()
  return {
    ...{ client, tableName, lapidary, through },
    async entries() {
      const found: Entry[] = []
      let after: Entry | undefined
      do {
        const page = await client.send(
          new ScanCommand({ TableName: tableName, ConsistentRead: true, ExclusiveStartKey: after }),
        )
        found.push(...(page.Items ?? []))
        after = page.LastEvaluatedKey
      } while (after !== undefined)
      return found.filter(({ PK }) => PK?.S?.startsWith('COMMENT#'))
    },
    async counted() {
      while ((await lapidary.derived.verify(QUICK)).pending > 0) await new Promise((done) => setTimeout(done, 50))
    },
    async [Symbol.asyncDispose]() {
      await dropTables(client, [tableName])
    },
  }
}

/** Every list that a comment has to be in, naively: `COMMENT/42/en/1.2.5`. */
export function listsOf({ productId, language, rating }: Comment): readonly string[] {
  const sets = Array.from({ length: 2 ** RATINGS.length }, (_, bits) => RATINGS.filter((_, i) => (bits >> i) % 2 === 1))
  return sets
    .filter((set) => set.includes(rating))
    .flatMap((set) =>
      ['~', escapeComponent(language)].map((tag) =>
        ['COMMENT', escapeComponent(productId), tag, set.length === RATINGS.length ? '~' : set.join('.')].join('/'),
      ),
    )
}

/** Returns the expected entries of each comment in each of its lists, with their contents. */
export function expectedLists(all: Iterable<Comment>): readonly string[] {
  return [...all].flatMap((one) => listsOf(one).map((list) => `${list} ${one.id} ${one.text} v${one.version}`)).sort()
}

/** Returns the entries that were found, by list. */
export function foundLists(entries: readonly Entry[]): readonly string[] {
  return entries.map((each) => `${each['k.lists']?.S} ${each.id?.S} ${each.text?.S} v${each.version?.N}`).sort()
}

/** Creates comments, and changes and deletes some, by chance; gives those that are left. */
export async function writeComments(
  { comments: target }: Pick<Lapidary<Comments>, 'comments'>,
  random: () => number,
  writes: number,
): Promise<ReadonlyMap<string, Comment>> {
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
  const left = new Map<string, Comment>()
  for (let i = 0; i < writes; i++) {
    const drawn = { language: pick(LANGUAGES), rating: pick(RATINGS) }
    const id = left.size < 3 || random() < 0.5 ? undefined : pick([...left.keys()])
    if (id === undefined) {
      const createdAt = new Date(Date.UTC(2024, 0, 1) + Math.floor(random() * 50) * 60_000).toISOString()
      const fresh = { ...drawn, id: `c${i}`, productId: pick(['42', '4/2']), createdAt, text: `${i}` }
      left.set(fresh.id, (await target.create(fresh)) as Comment)
    } else if (random() < 0.3) {
      await target.delete(id)
      left.delete(id)
    } else {
      const change = random() < 0.3 ? { text: `${i}` } : random() < 0.5 ? { rating: drawn.rating } : drawn
      left.set(id, (await target.patch(id, change)) as Comment)
    }
  }
  return left
}
