import type { Item } from './model/collection.ts'
import type { Facets, Where } from './model/facet.ts'
import type { ListOrder, QueryInput } from './model/query.ts'
import { type ChangeOptions, deleteItem, patchItem } from './operations/change.ts'
import type { CollectionContext } from './operations/context.ts'
import { type Counts, countItems } from './operations/count.ts'
import { type CreateOptions, createItem } from './operations/create.ts'
import { type IterateOptions, iterateItems } from './operations/iterate.ts'
import { type LeaderboardPage, type LeaderboardQuery, readLeaderboard } from './operations/leaderboard.ts'
import { type ListOptions, listPage, type Page, planList } from './operations/list.ts'
import { getItem } from './operations/look-up.ts'
import { readNumberedPage } from './operations/numbered-page.ts'
import type { ExplainedPlan } from './planner/explain.ts'
import type { Plan } from './planner/plan.ts'

/** A filter in the types of the declaration: a facet that does not exist, or a value outside it, does not compile. */
export interface ListQuery<F extends Facets> {
  readonly scope: string
  readonly where?: Where<F>
  /** Lowest order value, inclusive. */
  readonly from?: string | number
  /** Highest order value, exclusive. */
  readonly to?: string | number
  /** `newest` (highest order value first) when not given. */
  readonly order?: ListOrder
  /** 1 to 100; 20 when not given. */
  readonly limit?: number
}

/** What can be asked of one collection. Every method may raise `unavailable` when DynamoDB throttles or is away. */
export interface CollectionClient<I, F extends Facets = Facets> {
  /**
   * A page of the items in scope that pass the filter. Errors: `unprocessable`, `cursor_invalid`, `cursor_mismatch`.
   *
   * @example
   * ```ts run
   * const query = { scope: '42', where: { language: 'en', rating: [4, 5] }, limit: 20 } as const
   * const first = await lapidary.comments.list(query)
   * const second = await lapidary.comments.list({ ...query, cursor: first.cursors.next ?? undefined })
   * ```
   */
  list(query: ListQuery<F> & ListOptions): Promise<Page<I>>
  /**
   * A page by its number, from 1, at any depth; one past the end has no items. Needs `derived: { pages: segments() }`. Errors:
   * `unprocessable`, `not_implemented`, `unavailable` while the page index is not built.
   *
   * @example
   * ```ts run
   * const { items, page } = await lapidary.comments.page(3, { scope: '42', where: { rating: [1, 5] } })
   * console.log(page.number, page.count, page.total, items.length)
   * ```
   */
  page(number: number, query: ListQuery<F> & Omit<ListOptions, 'cursor'>): Promise<Page<I>>
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
  iterate(query: ListQuery<F> & IterateOptions): AsyncIterableIterator<I>
  /**
   * Runs the query and gives only how: the plan with estimated beside actual figures.
   *
   * @example
   * ```ts run
   * const plan = await lapidary.comments.explain({ scope: '42', where: { rating: [4, 5] } })
   * console.log(plan.text, plan.estimated.rcu, plan.actual?.rcu)
   * ```
   */
  explain(query: ListQuery<F> & ListOptions): Promise<ExplainedPlan>
  /**
   * The plan that `list` would run, without running it.
   *
   * @example
   * ```ts run
   * const { text } = await lapidary.comments.plan({ scope: '42', where: { language: 'en' } })
   * ```
   */
  plan(query: ListQuery<F>): Promise<Plan>
  /**
   * How many items pass the filter, from the statistics; and for each value of each facet. Needs `derived: { counts: true }`.
   *
   * @example
   * ```ts run
   * const { total, facets } = await lapidary.comments.count({ scope: '42', where: { language: 'en' } })
   * console.log(total, facets.rating?.['5'])
   * ```
   */
  count(query: Pick<ListQuery<F>, 'scope' | 'where'>): Promise<Counts>
  /**
   * Scopes in order of their count. Needs `derived: { counts: true }`. Errors: `not_found`, `unprocessable`.
   *
   * @example
   * ```ts run
   * const { entries } = await lapidary.comments.leaderboard({ name: 'five-star', where: { language: 'en' }, limit: 10 })
   * ```
   */
  leaderboard(query: LeaderboardQuery): Promise<LeaderboardPage>
  /**
   * The item with an id, read consistently. Error: `not_found`.
   *
   * @example
   * ```ts run
   * const { text } = await lapidary.comments.get('100001')
   * ```
   */
  get(id: string): Promise<I>
  /**
   * Stores a new item; id, version and time are made when not given. Errors: `unprocessable`, `already_exists`, `idempotency_mismatch`.
   *
   * @example
   * ```ts run
   * const { id } = await lapidary.comments.create({ ...comment, id: undefined }, { idempotencyKey: 'order-7' })
   * ```
   */
  create(item: { readonly [K in keyof I]?: I[K] | undefined }, options?: CreateOptions): Promise<I>
  /**
   * Changes some attributes as one step. Errors: `not_found`, `unprocessable`, `version_conflict`.
   *
   * @example
   * ```ts run
   * const { version } = await lapidary.comments.patch('100001', { rating: 4 }, { ifVersion: 1 })
   * ```
   */
  patch(id: string, changes: { readonly [K in keyof I]?: I[K] }, options?: ChangeOptions): Promise<I>
  /**
   * Deletes an item. Errors: `not_found`, `version_conflict`.
   *
   * @example
   * ```ts run
   * await lapidary.comments.delete('100001')
   * ```
   */
  delete(id: string, options?: ChangeOptions): Promise<void>
  /** What operations of your own can be built on. */
  readonly context: CollectionContext<I>
}

export function collectionClient<I, F extends Facets>(context: CollectionContext<I>): CollectionClient<I, F> {
  return Object.freeze<CollectionClient<I, F>>({
    list: ({ cursor, maxCapacity, signal, ...query }) =>
      listPage(context, query as QueryInput, definedOnly({ cursor, maxCapacity, signal })),
    iterate: ({ cursor, pagesAhead, maxCapacity, signal, ...query }) =>
      iterateItems(context, query as QueryInput, {
        ...definedOnly({ cursor, maxCapacity, signal }),
        ...(pagesAhead === undefined ? {} : { pagesAhead }),
      }),
    page: (number, { maxCapacity, signal, ...query }) =>
      readNumberedPage(context, number, query as QueryInput, definedOnly({ cursor: undefined, maxCapacity, signal })),
    explain: async ({ cursor, maxCapacity, signal, ...query }) =>
      (await listPage(context, query as QueryInput, definedOnly({ cursor, maxCapacity, signal }))).plan,
    plan: (query) => planList(context as CollectionContext, query as QueryInput),
    count: (query) => countItems(context as CollectionContext, query as QueryInput),
    leaderboard: (query) => readLeaderboard(context as CollectionContext, query),
    get: (id) => getItem(context, id),
    create: (item, options) => createItem(context, item as Item, options),
    patch: (id, changes, options) => patchItem(context, id, changes as Item, options),
    delete: (id, options) => deleteItem(context as CollectionContext, id, options),
    context,
  })
}

function definedOnly({
  cursor,
  maxCapacity,
  signal,
}: { [K in keyof ListOptions]: ListOptions[K] | undefined }): ListOptions {
  return {
    ...(cursor === undefined ? {} : { cursor }),
    ...(maxCapacity === undefined ? {} : { maxCapacity }),
    ...(signal === undefined ? {} : { signal }),
  }
}
