import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { createLapidary } from 'lapidary'
import { clairvoyantCapacity } from './clairvoyant.ts'
import { type Comment, commentsOf, entryBytes, PRODUCT } from './comments.ts'
import type { Family } from './families.ts'
import { mean } from './measure.ts'
import { entriesBefore, type MemoryList } from './memory-lists.ts'
import type { Random } from './random.ts'
import { TABLE_NAME } from './stored-comments.ts'

const BLOCK_BYTES = 4096

/** The figures of a family's pages, each the mean of the filters' means. */
export interface FamilyFigures {
  readonly family: string
  /** Whether it was planned on counts. */
  readonly counted: boolean
  readonly overClairvoyant: number
  readonly overLeast: number
  readonly rounds: number
  /** Used over expected RCU, of all pages together. */
  readonly usedOverExpected: number
  readonly rcu: number
  readonly clairvoyantRcu: number
  readonly pages: number
}

export interface FamilyOptions {
  readonly client: DynamoDBClient
  readonly lists: ReadonlyMap<string, MemoryList>
  readonly counted: boolean
  /** Pages of each filter. */
  readonly pages: number
  readonly random: Random
}

interface Sample {
  readonly rcu: number
  readonly expected: number
  readonly clairvoyant: number
  readonly least: number
  readonly rounds: number
}

/** Pages of all sets of values, with one language and with any, at random depths. */
export async function measureFamily(family: Family, options: FamilyOptions): Promise<FamilyFigures> {
  const filters = valueSets(family.values, options.random).flatMap((ratings) =>
    ['en', undefined].map((language) => ({ language, ratings })),
  )
  const { comments } = createLapidary({
    client: options.client,
    tableName: TABLE_NAME,
    collections: { comments: commentsOf(family.values, family.mix) },
    cursorSecret: 'a secret that only the bench knows',
    derived: { counts: options.counted },
  })
  const measured: Sample[][] = []
  for (const filter of filters) {
    const { language, ratings } = filter
    const query = { scope: PRODUCT, where: { ...(language === undefined ? {} : { language }), rating: ratings } }
    const samples: Sample[] = []
    let cursor: string | undefined
    for (let attempt = 0; samples.length < options.pages && attempt < 20 * options.pages; attempt++) {
      // Some way on, by a page of another size: cursors do not depend on it.
      const skipped = await comments.list({ ...query, limit: 1 + Math.floor(options.random() * 60), cursor })
      cursor = skipped.cursors.next ?? undefined
      const last = skipped.items.at(-1)
      if (cursor === undefined || last === undefined) continue
      const { items, cursors, plan } = await comments.list({ ...query, limit: family.page, cursor })
      cursor = cursors.next ?? undefined
      if (items.length < family.page || plan.actual === null) continue
      const page = items.map(({ rating, ...item }) => ({ position: positionOf(item), rating }))
      const clairvoyant = clairvoyantCapacity(options.lists, family.values, filter, page, positionOf(last))
      samples.push({
        rcu: plan.actual.rcu,
        expected: plan.estimated.rcu,
        rounds: plan.actual.rounds,
        least: leastCapacity(options.lists, filter, page),
        clairvoyant,
      })
    }
    if (samples.length > 0) measured.push(samples)
  }
  const ratio = (of: keyof Sample, over: keyof Sample): number =>
    mean(measured.map((samples) => mean(samples.map((one) => one[of] / one[over]))))
  const all = measured.flat()
  const sum = (of: keyof Sample): number => all.reduce((total, one) => total + one[of], 0)
  return {
    family: family.name,
    counted: options.counted,
    overClairvoyant: ratio('rcu', 'clairvoyant'),
    overLeast: ratio('rcu', 'least'),
    rounds: mean(measured.map((samples) => mean(samples.map(({ rounds }) => rounds)))),
    usedOverExpected: sum('rcu') / sum('expected'),
    rcu: sum('rcu') / all.length,
    clairvoyantRcu: sum('clairvoyant') / all.length,
    pages: all.length,
  }
}

/** Means of figures of the same family, drawn anew. */
export function meanFigures(drawn: readonly FamilyFigures[]): FamilyFigures {
  const [first] = drawn
  if (first === undefined) throw new Error('no figures')
  const numbers = Object.entries(first).filter(([, value]) => typeof value === 'number')
  const means = numbers.map(([name]) => [name, mean(drawn.map((each) => each[name as 'rounds']))])
  return { ...first, ...Object.fromEntries(means) }
}

function positionOf({ createdAt, id }: Pick<Comment, 'createdAt' | 'id'>): string {
  return `${createdAt}#${id}`
}

/** RCU of reading the page's entries from one list that holds nothing else. */
function leastCapacity(
  lists: ReadonlyMap<string, MemoryList>,
  { language }: { readonly language: string | undefined },
  page: readonly { readonly position: string; readonly rating: number }[],
): number {
  const product = `COMMENT/${PRODUCT}`
  let bytes = 0
  for (const { position, rating } of page) {
    const list = lists.get(
      language === undefined ? `byRating ${product}/${rating}` : `byLanguageAndRating ${product}/${language}/${rating}`,
    )
    const entry = list?.entries[entriesBefore(list, position)]
    if (entry === undefined) throw new Error(`no list holds ${position}`)
    bytes += entryBytes(entry)
  }
  return 0.5 * Math.ceil(bytes / BLOCK_BYTES)
}

/** All sets of the values 1 to n, or 31 of them where they are more. */
function valueSets(values: number, random: Random): readonly (readonly number[])[] {
  const all = Array.from({ length: 2 ** values - 1 }, (_, i) =>
    Array.from({ length: values }, (_, bit) => bit + 1).filter((value) => (((i + 1) >> (value - 1)) & 1) === 1),
  )
  if (all.length <= 31) return all
  return Array.from({ length: 31 }, () => all[Math.floor(random() * all.length)] as number[])
}
