import type { TableDescription, UpdateTableCommandInput } from '@aws-sdk/client-dynamodb'
import { copiesOf } from '../derived/projection.ts'
import { changeDerivedRegister, withState } from '../derived/register/derived-register.ts'
import { projectionShape, type Shape, shapeId } from '../derived/register/shape.ts'
import { LapidaryError, shown, unprocessable } from '../model/errors.ts'
import { knownOptions, type OptionNames } from '../model/known-options.ts'
import type { CollectionContext } from '../operations/context.ts'
import { keepsLists, listsOf } from '../pages/kept-lists.ts'
import { newRegister } from '../schema/adopt-register.ts'
import { writeIndexRegister } from '../schema/index-register.ts'
import type { IndexState } from '../schema/list-index-states.ts'
import type { TableDefinition } from '../schema/table-definition.ts'
import type { Backfill, BackfillOptions } from '../transfer/backfill-options.ts'
import { type Database, streamsOf } from './database.ts'

const BACKFILL_NAMES: OptionNames<BackfillOptions> = {
  ...{ collection: true, index: true, fill: true, capacity: true, segments: true, dryRun: true },
  ...{ signal: true, owner: true, leaseMs: true, onProgress: true },
}

/** How a table is created. */
export interface CreateTableOptions {
  /**
   * Whether the page index is complete from the start, or made by a rebuild later, which is quicker after a large import; `now`
   * when not given.
   */
  readonly pages?: 'now' | 'later'
}

/** The table of a database. */
export interface Table {
  /**
   * Creates the table and waits until it can be used. False when it exists already: then it stays as it is, and `missing` gives the
   * indexes that it lacks.
   *
   * @example
   * ```ts run
   * const isNew = await lapidary.table.create()
   * ```
   */
  create(options?: CreateTableOptions): Promise<boolean>
  /**
   * The table that the collections need, for `create` and the exports.
   *
   * @example
   * ```ts run
   * const { indexes } = lapidary.table.definition()
   * ```
   */
  definition(): TableDefinition
  /**
   * What DynamoDB says of the table; undefined when there is none.
   *
   * @example
   * ```ts run
   * const size = (await lapidary.table.describe())?.TableSizeBytes
   * ```
   */
  describe(): Promise<TableDescription | undefined>
  /**
   * The input of `UpdateTable` for each index that the table lacks, to be sent one after the other, since DynamoDB adds one at a
   * time; `backfill` then fills it. It reads the table's description and writes nothing. Errors: `table_mismatch` without a
   * table, or where it has too many indexes.
   *
   * @example
   * ```ts run
   * for (const update of await lapidary.table.missing()) console.log(JSON.stringify(update, null, 2))
   * ```
   */
  missing(): Promise<readonly UpdateTableCommandInput[]>
  /**
   * Whether lists are read from each index: from one that is absent or filling they are not.
   *
   * @example
   * ```ts run
   * const filling = (await lapidary.table.indexStates()).filter(({ state }) => state !== 'ready')
   * ```
   */
  indexStates(): Promise<readonly IndexState[]>
  /**
   * Makes new indexes complete, while the table is used: writes the keys that items lack, on the condition that what they are made of is
   * what was read, and takes away those that are wrong. Lists are read from an index once that is done. It can be stopped
   * or killed at any moment and run again. Errors: `unavailable` when another process does it already, `table_mismatch` when the
   * table lacks an index, `declaration_invalid`, `unprocessable`, `aborted`.
   *
   * @example
   * ```ts run
   * const { complete, collections } = await lapidary.table.backfill()
   * for (const { collection, written } of collections) console.log(collection, written)
   * ```
   */
  backfill(options?: BackfillOptions): Promise<Backfill>
}

const CREATE_NAMES: OptionNames<CreateTableOptions> = { pages: true }

export function tableOf(database: Database): Table {
  const { client, definition, table, named, contexts, clock } = database
  const chosen = (name: string | undefined): readonly CollectionContext[] => {
    const context = name === undefined || !Object.hasOwn(named, name) ? undefined : named[name]
    if (name === undefined || context !== undefined) return context === undefined ? contexts : [context]
    const names = Object.keys(named).join(', ')
    throw new LapidaryError('unprocessable', `there is no collection ${shown(name)}; there are ${names}`)
  }
  return Object.freeze<Table>({
    async create(options = {}) {
      const { pages: when = 'now' } = knownOptions('table.create', options, CREATE_NAMES)
      if (when !== 'now' && when !== 'later') {
        throw unprocessable('table.create was refused', [
          { path: 'pages', message: `must be now or later, not ${shown(when)}` },
        ])
      }
      const { createTable, describeTable } = await import('../schema/create-table.ts')
      // Not asked for again: a try whose answer was lost would be taken for the one that made it.
      if ((await describeTable(client, definition.tableName)) !== undefined) return false
      await forgetPages(database)
      const isNew = await createTable(client, definition)
      if (isNew) {
        // Where another process was faster, it has registered the same.
        for (const context of contexts)
          await writeIndexRegister(table, context.collection, 0, newRegister(context, clock()))
        await registerDerived(database, when)
        await beginPages(database, when)
      }
      return isNew
    },
    definition: () => definition,
    async indexStates() {
      const [{ describeTable }, { listIndexStates }] = await Promise.all([
        import('../schema/create-table.ts'),
        import('../schema/list-index-states.ts'),
      ])
      const description = (await describeTable(client, definition.tableName)) ?? {}
      return (
        await Promise.all(contexts.map((context) => listIndexStates(table, context, description, clock())))
      ).flat()
    },
    async backfill(options = {}) {
      knownOptions('the backfill', options, BACKFILL_NAMES)
      const { backfill } = await import('../transfer/backfill.ts')
      return backfill(chosen(options.collection), options)
    },
    async missing() {
      const [{ describeTable }, { missingIndexes }] = await Promise.all([
        import('../schema/create-table.ts'),
        import('../schema/missing-indexes.ts'),
      ])
      const description = await describeTable(client, definition.tableName)
      if (description !== undefined) return missingIndexes(definition, description)
      throw new LapidaryError('table_mismatch', `there is no table ${definition.tableName}; table.create() makes it`)
    },
    describe: async () => (await import('../schema/create-table.ts')).describeTable(client, definition.tableName),
  })
}

/** Of a table without items everything that is derived holds them all. */
async function registerDerived(
  { table, projections, shapes, derivedStates }: Database,
  pages: 'now' | 'later',
): Promise<void> {
  // A store of another's may hold the items of an earlier table of that name.
  const own = copiesOf(projections).filter(({ name, fill }) => fill !== undefined && !keepsLists(name))
  const ownIds = new Set(own.map((copy) => shapeId(projectionShape(copy))))
  const isLater = (shape: Shape): boolean => ownIds.has(shapeId(shape)) || (pages === 'later' && keepsLists(shape.name))
  const register = await changeDerivedRegister(table, (found) =>
    found.revision > 0
      ? found
      : withState(
          withState(
            found,
            shapes.own.filter((shape) => !isLater(shape)),
            'ready',
          ),
          shapes.own.filter(isLater),
          'filling',
        ),
  )
  derivedStates.learned(register)
}

/**
 * A store outside the table may still have the lists of an earlier table of the same name. They are given up before there is a table again:
 * whatever ends this process after that, the lists are not taken for complete.
 */
async function forgetPages({ contexts }: Database): Promise<void> {
  const apart = contexts.flatMap(listsOf).filter(({ projection }) => projection.apart !== undefined)
  for (const { lists } of apart) if ((await lists.state()) !== 'absent') await lists.fill()
}

/** A table without items is listed completely by an index without entries. */
async function beginPages(database: Database, when: 'now' | 'later'): Promise<void> {
  const { contexts } = database
  const kept = contexts.flatMap(listsOf)
  const lists = kept.map((each) => each.lists)
  const states = await Promise.all(lists.map((each) => each.state()))
  const isLeft = states.some((state) => state !== 'absent')
  if (when === 'later') return
  if (isLeft) {
    const { fillCopies } = await import('../recount/fill-copies.ts')
    const copies = kept.map(({ projection }) => projection)
    await fillCopies({ ...database, streams: () => streamsOf(database) }, copies, {})
  } else await Promise.all(lists.map((each) => each.create()))
}
