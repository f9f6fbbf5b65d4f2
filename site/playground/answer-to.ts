import type { Entry } from 'lapidary'
import { type Collection, type FacetValue, type Item, indexWarnings, LapidaryError, parseQuery } from 'lapidary'
import {
  type CollectionLayout,
  createEntryCodec,
  INTERNAL_VERSION,
  isRange,
  supposedCounts,
  supposedPlan,
} from 'lapidary/internal'
import type { Answer, DeclaredAnswer, PlanAnswer, Problem } from './answer.ts'
import { dollarsAMillion, writeCosts } from './costs.ts'
import { type DeclaredProgram, declaredProgram, problemOf } from './declared-program.ts'
import { type FacetShares, facetShares } from './facet-shares.ts'
import { keysAnswer } from './keys-answer.ts'
import type { DataGiven, Question } from './question.ts'
import { tableAnswer } from './table-answer.ts'
import { itemWith, type TypicalItem, typicalItems } from './typical-items.ts'

const USUAL_ITEMS = 1_000
const MOST_ITEMS = 1_000_000_000

/** Answers everything that the playground shows for a declaration, a query and some data. It never throws for what a person typed. */
export async function answerTo({ declaration, query, data }: Question): Promise<Answer> {
  let program: DeclaredProgram
  try {
    program = await declaredProgram(declaration, query)
  } catch (error) {
    return { problem: problemOf(error, 'declaration') }
  }
  const { asked } = program
  const name = asked?.collection ?? Object.keys(program.collections)[0] ?? ''
  const declared = program.collections[name]
  if (declared === undefined)
    return {
      problem: {
        in: 'query',
        message: `${name} is no collection; there are ${Object.keys(program.collections).join(', ')}`,
      },
    }
  try {
    return { ...answerOf(program, name, declared, data), ...(program.problem && { problem: program.problem }) }
  } catch (error) {
    return { problem: problemOf(error, 'declaration') }
  }
}

function answerOf(program: DeclaredProgram, name: string, declared: Collection, data: DataGiven): Answer {
  const { asked, layout: chosen } = program
  const { collection, shares, items, itemBytes } = suppositionOf(declared, asked?.query, data)
  const layout = chosen.of(collection)
  const entriesOf = entriesIn(collection, layout)
  const problems: Problem[] = []
  const attempt = <T>(where: Problem['in'], act: () => T): T | undefined => {
    try {
      return act()
    } catch (error) {
      problems.push(problemOf(error, where))
      return undefined
    }
  }
  const made = attempt('data', () => {
    const typical = typicalItems(collection, shares, { items, itemBytes })
    return { typical, placed: typical.map((one) => ({ ...one, entries: entriesOf(one.item, 1) })) }
  })
  const keepsCounts = (data.counts ?? program.counts) && made !== undefined
  const counts = keepsCounts
    ? attempt('data', () =>
        supposedCounts(
          collection,
          layout,
          made.placed.flatMap(({ entries: [entry], items: count }) => (entry ? [{ entry, items: count }] : [])),
        ),
      )
    : undefined
  const answer: DeclaredAnswer = {
    collection: name,
    layout: chosen.name,
    warnings: indexWarnings(collection),
    data: {
      ...{ items, itemBytes, counts: counts !== undefined, columns: program.columns },
      facets: shares.map(({ name: facet, facet: { kind, counted }, values }) => ({
        ...{ name: facet, kind, counted },
        values: values.map(({ text, share }) => ({ text, share })),
      })),
    },
    keys: exampleKeys(collection, layout, shares, asked?.query, entriesOf),
    writes: made === undefined ? [] : writeCosts(collection, layout, shares, made.typical, entriesOf),
    table: tableAnswer(program.table, program.collections),
  }
  const plan =
    asked === undefined
      ? undefined
      : attempt('query', () => planAnswer(collection, layout, asked.query, { ...program, counts }))
  const [problem] = problems.toReversed()
  return { declared: answer, ...(plan && { plan }), ...(problem && { problem }) }
}

/** What is supposed of a scope: how many items of which size it has, and how often each value is. */
function suppositionOf(
  declared: Collection,
  query: object | undefined,
  data: DataGiven,
): {
  readonly collection: Collection
  readonly shares: readonly FacetShares[]
  readonly items: number
  readonly itemBytes: number
} {
  const items = Math.round(within(data.items ?? USUAL_ITEMS, 1, MOST_ITEMS))
  const itemBytes = Math.round(within(data.itemBytes ?? declared.itemBytes, 1, 409_600))
  // What a codec saves depends on real texts.
  const collection: Collection = { ...declared, itemBytes, codec: undefined }
  const shares = facetShares(collection, (facet) => askedValues(collection, query, facet), data.shares)
  return { collection, shares, items, itemBytes }
}

/** Returns the items that a plan supposes, each with how many are like it: a test writes them into a table. */
export async function supposedItems({ declaration, query, data }: Question): Promise<readonly TypicalItem[]> {
  const { collections, asked } = await declaredProgram(declaration, query)
  const declared = collections[asked?.collection ?? ''] as Collection
  const { collection, shares, ...sizes } = suppositionOf(declared, asked?.query, data)
  return typicalItems(collection, shares, sizes)
}

function planAnswer(
  collection: Collection,
  layout: CollectionLayout,
  query: object,
  {
    counts,
    columns,
    maxSources,
    roundPrice: price,
  }: Pick<DeclaredProgram, 'columns' | 'maxSources' | 'roundPrice'> & {
    readonly counts: readonly Entry[] | undefined
  },
): PlanAnswer {
  const { text, tree, estimated, lists, rejected, limits, basis, roundPrice } = supposedPlan(
    collection,
    layout,
    query,
    {
      ...{ counts, columns, maxSources, roundPrice: price },
    },
  )
  return {
    explained: { text, tree, estimated, lists, rejected, limits, basis, roundPrice },
    dollars: dollarsAMillion({ read: estimated.rcu }),
    rejectedDollars: rejected.map(({ rcu }) => (rcu === null ? null : dollarsAMillion({ read: rcu }))),
  }
}

/** Versions count microseconds, and take as many bytes. */
const FIRST_VERSION = Date.UTC(2026, 0, 1) * 1_000

type EntriesOf = (item: Item, version: number) => readonly Entry[]

function entriesIn(collection: Collection, layout: CollectionLayout): EntriesOf {
  const codec = createEntryCodec(collection)
  return (item, version) =>
    layout.entriesOf(item, { ...codec.toEntry(item), [INTERNAL_VERSION]: { N: String(FIRST_VERSION + version) } })
}

/** Shows an item that the query would find: in its scope, with the first value that it asks for of each facet. */
function exampleKeys(
  collection: Collection,
  layout: CollectionLayout,
  shares: readonly FacetShares[],
  query: object | undefined,
  entriesOf: EntriesOf,
): DeclaredAnswer['keys'] {
  const held = shares.map(({ name, facet, values }) => {
    const [asked] = askedValues(collection, query, name)
    const often = values.toSorted((a, b) => b.share - a.share)[0]?.value ?? null
    const value = asked ?? often
    const isList = facet.kind === 'eachOf' && facet.separator === undefined
    return [name, isList ? (value === null ? [] : [value]) : value] as const
  })
  const { scope } = (query ?? {}) as { readonly scope?: unknown }
  const [first] = [scope].flat()
  const item = itemWith(collection, 0, Object.fromEntries(held), typeof first === 'string' ? first : undefined)
  try {
    return keysAnswer(layout, item, entriesOf(item, 1))
  } catch (error) {
    if (!(error instanceof LapidaryError)) throw error
    return { item, entries: [], count: 0 }
  }
}

/** Returns the values of a facet that a query names; none of a query that can't be. */
function askedValues(collection: Collection, query: object | undefined, facet: string): readonly FacetValue[] {
  if (query === undefined) return []
  try {
    const { scope, where, by } = query as { scope?: string; where?: object; by?: string }
    const parsed = parseQuery(collection, {
      scope: scope ?? 'any',
      ...(where && { where }),
      ...(by && { by }),
    } as never)
    const wanted = parsed.where[facet] ?? parsed.whole?.[facet]
    return wanted === undefined || isRange(wanted) ? [] : wanted
  } catch {
    return []
  }
}

function within(value: number, least: number, most: number): number {
  return Number.isFinite(value) ? Math.min(most, Math.max(least, value)) : least
}
