import { isDeepStrictEqual } from 'node:util'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { type Collections, createLapidary, type Lapidary, type LapidaryOptions, type Page } from 'lapidary'
import { openEngine } from 'lapidary-engine'

/** A new table with the collections of an example; leave it with `await using`. */
export interface ExampleDatabase<C extends Collections> extends AsyncDisposable {
  readonly lapidary: Lapidary<C>
  readonly client: DynamoDBClient
}

/** Starts the embedded engine, which is gone with the example, or uses the one at `endpoint`, and creates the table. */
export async function openExample<const C extends Collections>(
  collections: C,
  {
    endpoint,
    ...options
  }: { readonly endpoint?: string } & Partial<Pick<LapidaryOptions<C>, 'layout' | 'clock' | 'derived' | 'stream'>> = {},
): Promise<ExampleDatabase<C>> {
  const engine = await openEngine({ endpoint })
  const client = new DynamoDBClient(engine.clientConfig)
  const cursorSecret = 'a secret for examples alone'
  const lapidary = createLapidary({ client, tableName: 'example', collections, cursorSecret, ...options })
  // Columns are made by the import, from one scan.
  await lapidary.table.create({ pages: 'later' })
  return {
    lapidary,
    client,
    async [Symbol.asyncDispose]() {
      client.destroy()
      await engine.close()
    },
  }
}

/** Does something to each item, a few at a time. */
export async function forEach<T>(items: readonly T[], act: (item: T) => Promise<unknown>): Promise<void> {
  const rest = items.values()
  const lanes = Array.from({ length: 16 }, async () => {
    for (const item of rest) await act(item)
  })
  await Promise.all(lanes)
}

/** The most pages that are asked of a long list. */
const MOST_PAGES = 200

/**
 * Asks for the pages of a list, one after the other, prints how the first was found and what all of them cost, and compares them
 * with what a filter and sort in memory gives. An example whose answer is another ends with exit code 1.
 */
export async function show<I>(
  question: string,
  list: (cursor: string | undefined) => Promise<Page<I>>,
  expected: readonly I[],
): Promise<void> {
  const first = await list(undefined)
  const { plan } = first
  console.log(`\n${question}\n  ${plan.text}`)
  for (const limit of plan.limits) console.log(`  note: ${limit}`)
  const items = [...first.items]
  let [pages, rcu, read] = [1, plan.actual?.rcu ?? 0, plan.actual?.itemsRead ?? 0]
  let { next } = first.cursors
  for (; next !== null && pages < MOST_PAGES; pages++) {
    const page = await list(next)
    items.push(...page.items)
    rcu += page.plan.actual?.rcu ?? 0
    read += page.plan.actual?.itemsRead ?? 0
    next = page.cursors.next
  }
  const cost = `${plan.actual?.rcu} RCU for the first page, ${rcu} RCU in all (pages: ${pages}), ${read} items read`
  for (const item of items.slice(0, 2)) console.log(`  ${shown(item as object)}`)
  console.log(`  ${cost}, ${items.length} given`)
  compare(items, next === null ? expected : expected.slice(0, items.length))
}

/** Asks for one page by its number, prints how it was found, and compares it with what a filter and sort in memory gives. */
export async function showPage<I>(
  question: string,
  page: Promise<Page<I>>,
  expected: { readonly items: readonly I[]; readonly total: number },
): Promise<void> {
  const { items, page: told, plan } = await page
  console.log(`\n${question}\n  ${plan.text}`)
  for (const limit of plan.limits) console.log(`  note: ${limit}`)
  console.log(`  ${plan.actual?.rcu} RCU for page ${told.number} of ${told.count}, ${items.length} given`)
  compare({ items, total: told.total }, expected)
}

/** Asks for counts or a leaderboard, prints what they took and what is told of them, and compares that with what a loop in memory gives. */
export async function showFigures<F extends { readonly rcu: number } | Pick<Page<unknown>, 'plan'>>(
  question: string,
  asked: Promise<F>,
  told: (figures: F) => object,
  expected: object,
): Promise<void> {
  const figures = await asked
  console.log(`\n${question}`)
  if ('plan' in figures) console.log(`  ${figures.plan.text}`)
  console.log(`  ${shown(told(figures))}`)
  console.log(`  ${'plan' in figures ? figures.plan.actual?.rcu : figures.rcu} RCU`)
  compare(told(figures), expected)
}

/** Counts items by the texts of what they have. */
export function tally<I>(items: readonly I[], textOf: (item: I) => unknown): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const item of items) counts[String(textOf(item))] = (counts[String(textOf(item))] ?? 0) + 1
  return counts
}

/** DynamoDB gives attributes in any order. */
export function shown(item: object): string {
  if (Array.isArray(item)) return JSON.stringify(item)
  return JSON.stringify(Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))))
}

/** Holds an answer against one that was found in memory. */
export function compare(answer: unknown, expected: unknown): void {
  if (isDeepStrictEqual(answer, expected)) {
    console.log('  the same as a filter in memory gives')
  } else {
    console.log(`  DIFFERS from a filter in memory: ${JSON.stringify(answer)}, not ${JSON.stringify(expected)}`)
    process.exitCode = 1
  }
}
