import type { Declared, Item } from '../model/collection.ts'
import type { Facets } from '../model/facet.ts'
import { knownOptions, type OptionNames } from '../model/known-options.ts'
import { QUERY_NAMES } from '../model/query.ts'
import type { ExplainedPlan } from '../planner/explain.ts'
import type { Plan } from '../planner/plan.ts'
import type { AttributesOption, Chosen } from './chosen-attributes.ts'
import type { ReadContext } from './context.ts'
import { countItems } from './count.ts'
import { COUNT_OPTION_NAMES, type CountOptions } from './count-options.ts'
import type { Counts, Summed } from './counts.ts'
import type { Having } from './having.ts'
import { ITERATE_NAMES, type IterateOptions, iterateItems } from './iterate.ts'
import { listPage, planList } from './list.ts'
import { LIST_OPTION_NAMES, type ListOptions } from './list-options.ts'
import type { ListQuery } from './list-query.ts'
import { getItem, getItems } from './look-up.ts'
import { operationsOf, pageFigures } from './observed.ts'
import { takenApart } from './options.ts'
import type { Page } from './page.ts'
import type { ToldNumber } from './told-number.ts'

/** Options whose attributes have types. */
export type OptionsOf<O extends AttributesOption> = Omit<O, 'attributes' | 'having'>

/** A function that judges items by what is read of them. */
interface HavingOption<T> {
  readonly having?: Having<T> | undefined
}

/** Reads one collection by its declaration. Every method may raise `unavailable` when DynamoDB throttles or is away. */
export interface CollectionReader<I, F extends Facets = Facets, D extends Declared = Declared> {
  /**
   * A page of the items in scope that pass the filter. Errors: `unprocessable`, `cursor_invalid`, `cursor_mismatch`.
   *
   * @example
   * ```ts run
   * const query = { scope: '42', where: { language: 'en', rating: [4, 5] }, limit: 20 } as const
   * const first = await lapidary.comments.list(query)
   * const second = await lapidary.comments.list({ ...query, cursor: first.cursors.next })
   * const { items } = await lapidary.comments.list({ ...query, attributes: ['id', 'title'] })
   *
   * const having = ({ text }: { text: string }) => text.length > 500
   * const long = await lapidary.comments.list({ scope: '42', having, maxBytes: 200_000 })
   * ```
   */
  list<K extends keyof I = keyof I>(
    query: ListQuery<F, I, D> & OptionsOf<ListOptions> & AttributesOption<K> & HavingOption<Chosen<I, K>>,
  ): Promise<Page<Chosen<I, K>>>
  /**
   * All items in scope that pass the filter, in order: `limit` at a time, 100 when not given, the next page while one is used. Errors:
   * `unprocessable`, `cursor_invalid`, `cursor_mismatch`, `capacity_exhausted` with the cursor to go on from.
   *
   * @example
   * ```ts run
   * const signal = AbortSignal.timeout(10_000)
   * for await (const { id, rating } of lapidary.comments.iterate({ scope: '42', where: { rating: [1, 2] }, signal })) {
   *   console.log(id, rating)
   * }
   * ```
   */
  iterate<K extends keyof I = keyof I>(
    query: ListQuery<F, I, D> & OptionsOf<IterateOptions> & AttributesOption<K> & HavingOption<Chosen<I, K>>,
  ): AsyncIterableIterator<Chosen<I, K>>
  /**
   * Runs the query and gives only how: the plan with estimated beside actual figures.
   *
   * @example
   * ```ts run
   * const plan = await lapidary.comments.explain({ scope: '42', where: { rating: [4, 5] } })
   * console.log(plan.text, plan.estimated.rcu, plan.actual?.rcu)
   * ```
   */
  explain(
    query: ListQuery<F, I, D> & OptionsOf<ListOptions> & AttributesOption & HavingOption<I>,
  ): Promise<ExplainedPlan>
  /**
   * The plan that `list` would run, without running it.
   *
   * @example
   * ```ts run
   * const { text } = await lapidary.comments.plan({ scope: '42', where: { language: 'en' } })
   * ```
   */
  plan(query: ListQuery<F, I, D>): Promise<Plan>
  /**
   * How many items pass the filter, from the statistics; how many have each value of each facet, or of those in `by`; and the sums and averages of
   * the attributes in `sums`, which the declaration has to name.
   * With `every`, the same by day, week or month. Needs `derived: { counts: true }`, or `columns: true` for any condition.
   *
   * @example
   * ```ts run
   * const { total, facets } = await lapidary.comments.count({ scope: '42', where: { language: 'en' } })
   * console.log(total, facets?.rating?.['5'])
   * ```
   */
  count<Sum extends D['sums'] = never>(
    query: Pick<ListQuery<F, I, D>, 'where'> & CountedScope<F, I, D> & CountOptions<Extract<keyof F, string>, Sum>,
  ): Promise<Counts<{ readonly [A in Sum]: Summed<NumberOf<A, I>> }>>
  /**
   * The item with an id, read consistently. Error: `not_found`.
   *
   * @example
   * ```ts run
   * const { text } = await lapidary.comments.get('100001')
   * const { rating } = await lapidary.comments.get('100001', { attributes: ['rating', 'version'] })
   * ```
   */
  get<K extends keyof I = keyof I>(id: string, options?: AttributesOption<K>): Promise<Chosen<I, K>>
  /**
   * Items by their ids, in the order of these; undefined where there is none. Read consistently.
   *
   * @example
   * ```ts run
   * const [first, missing] = await lapidary.comments.getMany(['100001', 'no such'])
   * console.log(first?.text, missing)
   * ```
   */
  getMany<K extends keyof I = keyof I>(
    ids: readonly string[],
    options?: AttributesOption<K>,
  ): Promise<readonly (Chosen<I, K> | undefined)[]>
}

/** The type in which an attribute's numbers are told together. */
type NumberOf<A, I> = A extends keyof I
  ? NonNullable<I[A]> extends string
    ? string
    : NonNullable<I[A]> extends bigint
      ? bigint
      : number
  : ToldNumber

/** The scopes that are counted; absent for all, where they are counted together. */
type CountedScope<F extends Facets, I, D extends Declared> = [D['countedAcross']] extends [true]
  ? Partial<Pick<ListQuery<F, I, D>, 'scope'>>
  : Pick<ListQuery<F, I, D>, 'scope'>

/** The parts of a query that are counted: `by` names facets here and no order, and a range is one of days. */
const { by: _, from: _from, to: _to, ...COUNTED_NAMES } = QUERY_NAMES

/** Reads one collection; the types of the declaration are given to callers here, and are no matter below. */
export function collectionReader<I, F extends Facets, D extends Declared>(
  context: ReadContext,
): CollectionReader<I, F, D> {
  const operation = operationsOf(context)
  const list = (given: object): Promise<Page<Item>> => {
    const { query, options } = takenApart<ListOptions>('the query', given, LIST_OPTION_NAMES)
    return listPage(context, query, options)
  }
  const reader = {
    list: (given: object) => operation('list', async () => list(given), pageFigures),
    async *iterate(given: object) {
      const { query, options } = takenApart<IterateOptions>('the query', given, ITERATE_NAMES)
      yield* iterateItems(context, query, options)
    },
    explain: async (given: object) => (await operation('explain', async () => list(given), pageFigures)).plan,
    plan: async (given: object) => planList(context, takenApart('the query', given, LIST_OPTION_NAMES).query),
    count: (given: object) =>
      operation('count', async () => {
        const { query, options } = takenApart<CountOptions>('the query', given, COUNT_OPTION_NAMES, COUNTED_NAMES)
        return countItems(context, query, options)
      }),
    get: (id: string, options?: AttributesOption) =>
      operation('get', async () => getItem(context, id, knownOptions('get', options, ATTRIBUTES_NAMES))),
    getMany: (ids: readonly string[], options?: AttributesOption) =>
      operation('getMany', async () => getItems(context, ids, knownOptions('getMany', options, ATTRIBUTES_NAMES))),
  } satisfies Record<keyof CollectionReader<unknown>, unknown>
  return reader as unknown as CollectionReader<I, F, D>
}

const ATTRIBUTES_NAMES: OptionNames<AttributesOption> = { attributes: true }
