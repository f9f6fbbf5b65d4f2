import type { ListQuery } from './list-query.ts'
import type { Declared, Item } from './model/collection.ts'
import type { Facets } from './model/facet.ts'
import type { Increment } from './model/increment.ts'
import type { QueryInput } from './model/query.ts'
import { listWithParent, type PageWithParent } from './operations/assembled.ts'
import { deleteItem, patchItem, planDelete, planPatch } from './operations/change.ts'
import type { AttributesOption, Chosen } from './operations/chosen-attributes.ts'
import type { CollectionContext, WithContext } from './operations/context.ts'
import { type Counts, countItems } from './operations/count.ts'
import { type CreateOptions, createItem, planCreate } from './operations/create.ts'
import type { Having } from './operations/having.ts'
import { type IterateOptions, iterateItems } from './operations/iterate.ts'
import { type LeaderboardPage, type LeaderboardQuery, readLeaderboard } from './operations/leaderboard.ts'
import { type ListOptions, listPage, type Page, planList } from './operations/list.ts'
import { getItem, getItems } from './operations/look-up.ts'
import { readNumberedPage } from './operations/numbered-page.ts'
import type { PlannedWrites } from './operations/planned-writes.ts'
import type { ChangeOptions } from './operations/preconditions.ts'
import { planReplace, planUpsert, replaceItem, upsertItem } from './operations/replace.ts'
import type { ExplainedPlan } from './planner/explain.ts'
import type { Plan } from './planner/plan.ts'
import type { ScanOptions } from './transfer/scan-index.ts'

/** Options whose attributes have types. */
type OptionsOf<O extends AttributesOption> = Omit<O, 'attributes' | 'having'>

/** A function that judges items by what is read of them. */
interface HavingOption<T> {
  readonly having?: Having<T> | undefined
}

/** An item to be stored, as the schema takes it: what the library makes may be missing. */
export type NewItem<I, D extends Declared = Declared> = MayLack<unknown extends D['input'] ? I : D['input'], D['made']>

type MayLack<I, Made> = { readonly [K in keyof I as K extends Made ? never : K]: I[K] } & {
  readonly [K in keyof I as K extends Made ? K : never]?: I[K] | undefined
}

/** A whole item with its id, to be put in the place of another: what the library keeps may be missing. */
export type WholeItem<I, D extends Declared = Declared> = NewItem<I, D> &
  (string extends D['id'] ? unknown : { readonly [K in D['id'] & keyof I]: I[K] })

/** Changes of some attributes: new values, undefined to remove one, or what is added to a number. */
export type Changes<I> = {
  readonly [K in keyof I]?: I[K] | (NonNullable<I[K]> extends number ? Increment : never)
}

/** What can be asked of one collection. Every method may raise `unavailable` when DynamoDB throttles or is away. */
export interface CollectionClient<I, F extends Facets = Facets, D extends Declared = Declared> {
  /**
   * A page of the items in scope that pass the filter. Errors: `unprocessable`, `cursor_invalid`, `cursor_mismatch`.
   *
   * @example
   * ```ts run
   * const query = { scope: '42', where: { language: 'en', rating: [4, 5] }, limit: 20 } as const
   * const first = await lapidary.comments.list(query)
   * const second = await lapidary.comments.list({ ...query, cursor: first.cursors.next ?? undefined })
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
   * The newest items in scope, and the parent that the scope is, read by one Query of an index that assembles them (`around`). The page's
   * cursors are those of `list`; what they lead to has no `parent`. Errors: `unprocessable`, `cursor_invalid`, `cursor_mismatch`,
   * `not_implemented` where no index assembles the two.
   *
   * @example
   * ```ts
   * const { parent, items } = await issues.listWith(repositories, { scope: 'r1', limit: 10 })
   * ```
   */
  listWith<P>(
    parent: WithContext<P>,
    query: Pick<ListQuery<F, I, D>, 'scope' | 'limit'> & Pick<ListOptions, 'cursor'>,
  ): Promise<PageWithParent<I, P>>
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
  page<K extends keyof I = keyof I>(
    number: number,
    query: ListQuery<F, I, D> & Omit<OptionsOf<ListOptions>, 'cursor' | 'maxBytes'> & AttributesOption<K>,
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
   * All items of an index that holds this collection alone (declared with `scan: true`, or sparse), in no order: read as a whole, in
   * parallel segments, at 0.5 RCU for each 4 KB of it. Errors: `unprocessable`, `unavailable` while the index is filling.
   *
   * @example
   * ```ts
   * for await (const { email } of customers.scan('customers', { segments: 8, capacity: 200 })) await send(email)
   * ```
   */
  scan(index: string, options?: ScanOptions): AsyncIterableIterator<I>
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
   * How many items pass the filter, from the statistics; and for each value of each facet. Needs `derived: { counts: true }`.
   *
   * @example
   * ```ts run
   * const { total, facets } = await lapidary.comments.count({ scope: '42', where: { language: 'en' } })
   * console.log(total, facets.rating?.['5'])
   * ```
   */
  count(query: Pick<ListQuery<F, I, D>, 'scope' | 'where'>): Promise<Counts>
  /**
   * Scopes in order of their count. Needs `derived: { counts: true }`. Errors: `not_found`, `unprocessable`.
   *
   * @example
   * ```ts run
   * const { entries } = await lapidary.comments.leaderboard({ name: 'five-star', where: { language: 'en' }, limit: 10 })
   * ```
   */
  leaderboard(query: LeaderboardQuery & { readonly name: D['board'] }): Promise<LeaderboardPage>
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
  /**
   * Stores a new item; id, version and time are made when not given. Errors: `unprocessable`, `already_exists`, `idempotency_mismatch`.
   *
   * @example
   * ```ts run
   * const { id } = await lapidary.comments.create({ ...comment, id: undefined }, { idempotencyKey: 'order-7' })
   * ```
   */
  create(item: NewItem<I, D>, options?: CreateOptions): Promise<I>
  /**
   * Changes some attributes as one step. Errors: `not_found`, `unprocessable`, `version_conflict`, `condition_failed`.
   *
   * @example
   * ```ts run
   * const { version } = await lapidary.comments.patch('100001', { rating: 4 }, { ifVersion: 1 })
   * await lapidary.comments.patch('100001', { rating: increment(-1) }, { if: { rating: 4 } })
   * ```
   */
  patch(id: string, changes: Changes<I>, options?: ChangeOptions<I>): Promise<I>
  /**
   * Puts a whole item in the place of the one with its id; what it lacks is removed. Errors: `not_found`, `unprocessable`,
   * `version_conflict`, `condition_failed`.
   *
   * @example
   * ```ts run
   * const { version } = await lapidary.comments.replace({ ...comment, id: '100001', title: 'Blunt' }, { ifVersion: 1 })
   * ```
   */
  replace(item: WholeItem<I, D>, options?: ChangeOptions<I>): Promise<I>
  /**
   * Replaces the item with this id, or stores a new one where there is none. Error: `unprocessable`.
   *
   * @example
   * ```ts run
   * const { version } = await lapidary.comments.upsert({ ...comment, id: '100001' }) // 1 where it is new
   * ```
   */
  upsert(item: WholeItem<I, D>): Promise<I>
  /**
   * Deletes an item. Errors: `not_found`, `version_conflict`, `condition_failed`.
   *
   * @example
   * ```ts run
   * await lapidary.comments.delete('100001', { if: { language: 'en' } })
   * ```
   */
  delete(id: string, options?: ChangeOptions<I>): Promise<void>
  /** What these would write, for transactions of your own. */
  readonly writes: CollectionWrites<I, D>
  /** What operations of your own can be built on. */
  readonly context: CollectionContext<I>
}

/**
 * Writes of a collection as parts of a transaction that holds others too, with their conditions: that a new item's id is free, that a
 * changed item still has the version that was read. DynamoDB refuses the whole transaction where one does not hold; plan it anew then.
 */
export interface CollectionWrites<I, D extends Declared = Declared> {
  /**
   * Error: `unprocessable`.
   *
   * @example
   * ```ts run
   * import { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
   *
   * const { id: _, ...rest } = comment
   * const { item, writes } = await lapidary.comments.writes.create(rest)
   * const note = { Put: { TableName: tableName, Item: { PK: { S: 'NOTE#1' }, SK: { S: item.id } } } }
   * await client.send(new TransactWriteItemsCommand({ TransactItems: [...writes, note] }))
   * ```
   */
  create(item: NewItem<I, D>): Promise<PlannedWrites<I>>
  /**
   * Reads the item. Errors: `not_found`, `unprocessable`, `version_conflict`, `condition_failed`.
   *
   * @example
   * ```ts run
   * const { item, writes } = await lapidary.comments.writes.patch('100001', { rating: 4 })
   * console.log(item.version, writes.length)
   * ```
   */
  patch(id: string, changes: Changes<I>, options?: ChangeOptions<I>): Promise<PlannedWrites<I>>
  /**
   * Reads the item. Errors: `not_found`, `unprocessable`, `version_conflict`, `condition_failed`.
   *
   * @example
   * ```ts run
   * const { writes } = await lapidary.comments.writes.replace({ ...comment, id: '100001', title: 'Blunt' })
   * ```
   */
  replace(item: WholeItem<I, D>, options?: ChangeOptions<I>): Promise<PlannedWrites<I>>
  /**
   * Reads the item, if there is one. Error: `unprocessable`.
   *
   * @example
   * ```ts run
   * const { item, writes } = await lapidary.comments.writes.upsert({ ...comment, id: '100001' })
   * ```
   */
  upsert(item: WholeItem<I, D>): Promise<PlannedWrites<I>>
  /**
   * Reads the item. Errors: `not_found`, `version_conflict`, `condition_failed`.
   *
   * @example
   * ```ts run
   * const { writes } = await lapidary.comments.writes.delete('100001')
   * ```
   */
  delete(id: string, options?: ChangeOptions<I>): Promise<PlannedWrites>
}

export function collectionClient<I, F extends Facets, D extends Declared>(
  context: CollectionContext<I>,
): CollectionClient<I, F, D> {
  const planned = <T>({ item, writes }: PlannedWrites<T>): PlannedWrites<T> => ({
    item,
    writes: context.renaming?.renamed(writes) ?? writes,
  })
  return Object.freeze<CollectionClient<I, F, D>>({
    list: ({ cursor, maxCapacity, counts, signal, attributes, having, maxBytes, ...query }) =>
      listPage(
        narrowed(context),
        query as QueryInput,
        definedOnly({
          cursor,
          maxCapacity,
          counts,
          signal,
          having,
          maxBytes,
          attributes: attributes as readonly string[],
        }),
      ),
    iterate: ({ cursor, pagesAhead, maxCapacity, signal, attributes, having, ...query }) =>
      iterateItems(narrowed(context), query as QueryInput, {
        ...definedOnly({ cursor, maxCapacity, signal, having, attributes: attributes as readonly string[] }),
        ...(pagesAhead === undefined ? {} : { pagesAhead }),
      }),
    listWith: (parent, { cursor, ...query }) => listWithParent(context, parent.context, query as QueryInput, cursor),
    async *scan(index, options) {
      const { scanIndex } = await import('./transfer/scan-index.ts')
      yield* scanIndex(context, index, options)
    },
    page: (number, { maxCapacity, counts, signal, attributes, ...query }) =>
      readNumberedPage(
        narrowed(context),
        number,
        query as QueryInput,
        definedOnly({ maxCapacity, counts, signal, attributes: attributes as readonly string[] }),
      ),
    explain: async ({ cursor, maxCapacity, counts, signal, attributes, having, maxBytes, ...query }) =>
      (
        await listPage(
          context,
          query as QueryInput,
          definedOnly({ cursor, maxCapacity, counts, signal, attributes, having, maxBytes }),
        )
      ).plan,
    plan: (query) => planList(context as CollectionContext, query as QueryInput),
    count: (query) => countItems(context as CollectionContext, query as QueryInput),
    leaderboard: (query) => readLeaderboard(context as CollectionContext, query),
    get: (id, options) => getItem(narrowed(context), id, options),
    getMany: (ids, options) => getItems(narrowed(context), ids, options),
    create: (item, options) => createItem(context, item as Item, options),
    patch: (id, changes, options) => patchItem(context, id, changes as Item, options as ChangeOptions),
    replace: (item, options) => replaceItem(context, item as Item, options as ChangeOptions),
    upsert: (item) => upsertItem(context, item as Item),
    delete: (id, options) => deleteItem(context as CollectionContext, id, options as ChangeOptions),
    writes: Object.freeze<CollectionWrites<I, D>>({
      create: async (item) => planned(await planCreate(context, item as Item)),
      patch: async (id, changes, options) =>
        planned(await planPatch(context, id, changes as Item, options as ChangeOptions)),
      replace: async (item, options) => planned(await planReplace(context, item as Item, options as ChangeOptions)),
      upsert: async (item) => planned(await planUpsert(context, item as Item)),
      delete: async (id, options) =>
        planned(await planDelete(context as CollectionContext, id, options as ChangeOptions)),
    }),
    context,
  })
}

/** A context of items of which attributes are chosen. */
function narrowed<I, K extends keyof I>(context: CollectionContext<I>): CollectionContext<Chosen<I, K>> {
  return context as unknown as CollectionContext<Chosen<I, K>>
}

function definedOnly(options: { [K in keyof ListOptions]: ListOptions[K] | undefined }): ListOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}
