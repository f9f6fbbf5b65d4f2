import type { Declared, Item } from './model/collection.ts'
import type { Facets } from './model/facet.ts'
import type { Increment } from './model/increment.ts'
import type { OptionNames } from './model/known-options.ts'
import type { QueryInput } from './model/query.ts'
import type { CollectionContext, WithContext } from './operations/context.ts'
import type { CreateOptions, PlannedCreateOptions } from './operations/create.ts'
import type { DeleteAllOptions, DeletedAll } from './operations/delete-all.ts'
import type { PlannedWrites } from './operations/planned-writes.ts'
import type { ChangeOptions, PatchOptions } from './operations/preconditions.ts'
import type { AttributesOption, Chosen } from './read/chosen-attributes.ts'
import { type CollectionReader, collectionReader, type OptionsOf } from './read/collection-reader.ts'
import type { LeaderboardPage, LeaderboardQuery } from './read/leaderboard.ts'
import type { ListOptions } from './read/list-options.ts'
import type { ListQuery, PageQuery, SelectedItems } from './read/list-query.ts'
import type { PageWithParent } from './read/list-with-parent.ts'
import { operationsOf, pageFigures } from './read/observed.ts'
import { takenApart } from './read/options.ts'
import type { Page } from './read/page.ts'
import type { ScanOptions } from './transfer/scan-index.ts'

/** An item to be stored, as the schema takes it: what the library makes may be missing. */
export type NewItem<I, D extends Declared = Declared> = MayLack<unknown extends D['input'] ? I : D['input'], D['made']>

type MayLack<I, Made> = { readonly [K in keyof I as K extends Made ? never : K]: I[K] } & {
  readonly [K in keyof I as K extends Made ? K : never]?: I[K] | undefined
}

/** A whole item with its id, to be put in the place of another: what the library keeps may be missing. */
export type WholeItem<I, D extends Declared = Declared> = NewItem<I, D> &
  (string extends D['id'] ? unknown : { readonly [K in D['id'] & keyof I]: I[K] })

/** Changes of some attributes: new values, undefined to remove one, or what is added to a number. */
export type Changes<I, D extends Declared = Declared> = {
  readonly [K in keyof I]?:
    | I[K]
    | (NonNullable<I[K]> extends number | bigint ? Increment : K extends D['decimals'] ? Increment : never)
}

/** What can be asked of one collection. Every method may raise `unavailable` when DynamoDB throttles or is away. */
export interface CollectionClient<I, F extends Facets = Facets, D extends Declared = Declared>
  extends CollectionReader<I, F, D> {
  /**
   * The newest items in scope, and the parent that the scope is, read by one Query of an index that assembles them (`around`). The page's
   * cursors are those of `list`; what they lead to has no `parent`. Errors: `unprocessable`, `cursor_invalid`, `cursor_mismatch`,
   * `not_implemented` where no index assembles the two.
   *
   * @example
   * ```ts run
   * const { parent, items } = await issues.listWith(repositories, { scope: 'r1', limit: 10 })
   * ```
   */
  listWith<P>(
    parent: WithContext<P>,
    query: Pick<ListQuery<F, I, D>, 'scope' | 'limit'> & Pick<ListOptions, 'cursor'>,
  ): Promise<PageWithParent<I, P>>
  /**
   * A page by its number, from 1, at any depth; one past the end has no items. Needs `derived: { pages: segments() }`, and for another order, a
   * tag or all scopes the collection's `pages`. Errors: `unprocessable`, `not_implemented`, `unavailable` while the page index is not built.
   *
   * @example
   * ```ts run
   * await lapidary.stream.catchUp() // or a process that follows the change stream
   * const { items, page } = await lapidary.comments.page(3, { scope: '42', where: { rating: [1, 5] } })
   * console.log(page.number, page.count, page.total, items.length)
   * ```
   */
  page<K extends keyof I = keyof I, N extends number = number>(
    number: N,
    query: (N extends 1 ? ListQuery<F, I, D> : PageQuery<F, I, D>) &
      Omit<OptionsOf<ListOptions>, 'cursor' | 'maxBytes'> & {
        readonly cursor?: null | undefined
      } & AttributesOption<K>,
  ): Promise<Page<Chosen<I, K>>>
  /**
   * All items of an index that holds this collection alone (declared with `scan: true`, or sparse), in no order: read as a whole, in
   * parallel segments, at 0.5 RCU for each 4 KB of it. Errors: `unprocessable`, `unavailable` while the index is filling.
   *
   * @example
   * ```ts run
   * for await (const { email } of customers.scan('customers', { segments: 8, capacity: 200 })) await send(email)
   * ```
   */
  scan(index: string, options?: ScanOptions): AsyncIterableIterator<I>
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
   * Stores a new item; id, version and time are made when not given. Errors: `unprocessable`, `already_exists`, `idempotency_mismatch`.
   *
   * @example
   * ```ts run
   * const { id } = await lapidary.comments.create({ ...comment, id: undefined }, { idempotencyKey: 'order-7' })
   * ```
   */
  create(item: NewItem<I, D>, options?: CreateOptions): Promise<I>
  /**
   * Changes some attributes as one step; another scope moves the item there, with its id. Errors: `not_found`, `unprocessable`, `version_conflict`, `condition_failed`.
   *
   * @example
   * ```ts run
   * const { version } = await lapidary.comments.patch('100001', { rating: 4 }, { ifVersion: 1 })
   * await lapidary.comments.patch('100001', { rating: increment(-1) }, { if: { rating: 4 }, keepVersion: true })
   * ```
   */
  patch(id: string, changes: Changes<I, D>, options?: PatchOptions<I>): Promise<I>
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
  /**
   * Deletes all items of a scope, or those that a filter selects, one after the other as `delete` does, hooks included. Stopped or killed,
   * run it again. Items that come meanwhile may stay. Errors: `unprocessable`, `aborted`, and what a hook throws.
   *
   * @example
   * ```ts run
   * const { deleted } = await lapidary.comments.deleteAll({ scope: '43', where: { rating: 1 }, capacity: 100 })
   * ```
   */
  deleteAll(query: SelectedItems<F, I, D> & DeleteAllOptions): Promise<DeletedAll>
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
  create(item: NewItem<I, D>, options?: PlannedCreateOptions): Promise<PlannedWrites<I>>
  /**
   * Reads the item. Errors: `not_found`, `unprocessable`, `version_conflict`, `condition_failed`.
   *
   * @example
   * ```ts run
   * const { item, writes } = await lapidary.comments.writes.patch('100001', { rating: 4 })
   * console.log(item.version, writes.length)
   * ```
   */
  patch(id: string, changes: Changes<I, D>, options?: PatchOptions<I>): Promise<PlannedWrites<I>>
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

type Cursor = Pick<ListOptions, 'cursor'>
const AROUND_NAMES: OptionNames<Pick<QueryInput, 'scope' | 'limit'>> = { scope: true, limit: true }

/** How a page by its number is read; its cursor may only be null, as of a first page. */
type PageOptions = Omit<ListOptions, 'having' | 'maxBytes'>
const PAGE_NAMES: OptionNames<PageOptions> = {
  ...{ cursor: true, attributes: true, maxCapacity: true, counts: true, fresh: true, signal: true },
  written: true,
}

/** What a function that lists does without is loaded when it is first asked for. */
const LATE = {
  change: () => import('./operations/change.ts'),
  create: () => import('./operations/create.ts'),
  deleteAll: () => import('./operations/delete-all.ts'),
  leaderboard: () => import('./read/leaderboard.ts'),
  listWithParent: () => import('./read/list-with-parent.ts'),
  numberedPage: () => import('./read/numbered-page.ts'),
  replace: () => import('./operations/replace.ts'),
  scanIndex: () => import('./transfer/scan-index.ts'),
}

/** A client of one collection; the types of the declaration are given to callers here, and are no matter below. */
export function collectionClient<I, F extends Facets, D extends Declared>(
  typed: CollectionContext<I>,
): CollectionClient<I, F, D> {
  const context = typed as CollectionContext
  const operation = operationsOf(context)
  const planned = <T>({ item, writes }: PlannedWrites<T>): PlannedWrites<T> => ({
    item,
    writes: context.renaming?.renamed(writes) ?? writes,
  })
  const client = {
    ...collectionReader(context),
    listWith: (parent: WithContext, given: object) =>
      operation(
        'listWith',
        async () => {
          const { query, options } = takenApart<Cursor>('the query', given, { cursor: true }, AROUND_NAMES)
          return (await LATE.listWithParent()).listWithParent(context, parent.context, query, options.cursor)
        },
        pageFigures,
      ),
    async *scan(index: string, options?: ScanOptions) {
      yield* (await LATE.scanIndex()).scanIndex(context, index, options)
    },
    page: (number: number, given: object) =>
      operation(
        'page',
        async () => {
          const { query, options } = takenApart<PageOptions>('the page', given, PAGE_NAMES)
          const { cursor: _, ...reading } = options
          return (await LATE.numberedPage()).readNumberedPage(context, number, query, reading)
        },
        pageFigures,
      ),
    leaderboard: (query: LeaderboardQuery) =>
      operation('leaderboard', async () => (await LATE.leaderboard()).readLeaderboard(context, query), pageFigures),
    create: (item: Item, options?: CreateOptions) =>
      operation('create', async () => (await LATE.create()).createItem(context, item, options)),
    patch: (id: string, changes: Item, options?: PatchOptions) =>
      operation('patch', async () => (await LATE.change()).patchItem(context, id, changes, options)),
    replace: (item: Item, options?: ChangeOptions) =>
      operation('replace', async () => (await LATE.replace()).replaceItem(context, item, options)),
    upsert: (item: Item) => operation('upsert', async () => (await LATE.replace()).upsertItem(context, item)),
    delete: (id: string, options?: ChangeOptions) =>
      operation('delete', async () => (await LATE.change()).deleteItem(context, id, options)),
    deleteAll: (query: QueryInput & DeleteAllOptions) =>
      operation('deleteAll', async () => (await LATE.deleteAll()).deleteAllItems(context, query)),
    writes: Object.freeze({
      create: async (item: Item, options?: PlannedCreateOptions) =>
        planned(await (await LATE.create()).planCreate(context, item, options)),
      patch: async (id: string, changes: Item, options?: PatchOptions) =>
        planned(await (await LATE.change()).planPatch(context, id, changes, options)),
      replace: async (item: Item, options?: ChangeOptions) =>
        planned(await (await LATE.replace()).planReplace(context, item, options)),
      upsert: async (item: Item) => planned(await (await LATE.replace()).planUpsert(context, item)),
      delete: async (id: string, options?: ChangeOptions) =>
        planned(await (await LATE.change()).planDelete(context, id, options)),
    } satisfies Record<keyof CollectionWrites<unknown>, unknown>),
    context,
  } satisfies Record<keyof CollectionClient<unknown>, unknown>
  return Object.freeze(client) as unknown as CollectionClient<I, F, D>
}
