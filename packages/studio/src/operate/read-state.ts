import {
  type DatabaseServices,
  type DeadLetter,
  type DerivedState,
  type IndexState,
  LapidaryError,
  type StreamReport,
} from 'lapidary'

/** What the table, its stream and its register say of indexes and derived data. */
export interface OperatingState {
  /** Undefined where there is no table. */
  readonly table:
    | {
        readonly name: string
        readonly status: string
        readonly items: number | undefined
        readonly bytes: number | undefined
      }
    | undefined
  readonly indexes: readonly IndexState[]
  readonly derived: readonly DerivedState[]
  /** Undefined where the table has no change stream. */
  readonly stream: StreamReport | undefined
  readonly gaps: readonly string[]
  readonly deadLetters: readonly DeadLetter[]
}

/** Reads the state: descriptions and registers, never items. */
export async function readState({ table, derived, stream }: DatabaseServices): Promise<OperatingState> {
  const { tableName: name } = table.definition()
  const described = await table.describe()
  if (described === undefined)
    return { table: undefined, indexes: [], derived: [], stream: undefined, gaps: [], deadLetters: [] }
  const [indexes, states, report, gaps] = await Promise.all([
    table.indexStates(),
    derived.states(),
    reportOf(stream),
    derived.gaps(),
  ])
  const deadLetters = (report?.deadLetters ?? 0) > 0 ? await stream.deadLetters.list() : []
  return {
    table: {
      ...{ name, status: described.TableStatus ?? 'ACTIVE' },
      ...{ items: described.ItemCount, bytes: described.TableSizeBytes },
    },
    ...{ indexes, derived: states.toSorted(byName), stream: report, gaps, deadLetters },
  }
}

function byName(a: DerivedState, b: DerivedState): number {
  const [one, other] = [`${a.collection} ${a.name}`, `${b.collection} ${b.name}`]
  return one < other ? -1 : one > other ? 1 : 0
}

async function reportOf(stream: DatabaseServices['stream']): Promise<StreamReport | undefined> {
  try {
    return await stream.report()
  } catch (error) {
    if (error instanceof LapidaryError && error.code === 'table_mismatch') return undefined
    throw error
  }
}
