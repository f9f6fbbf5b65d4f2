import type { UnknownReason } from '../../model/unknown-reason.ts'
import { meaningOf } from '../../table/error-meaning.ts'
import { asStep } from '../../table/observer.ts'
import type { TableClient } from '../../table/table-client.ts'
import type { CopyState } from '../copy-projection.ts'
import { isRegistered, isSum, type Projection } from '../projection.ts'
import { type DerivedRegister, noteUsed, readDerivedRegister } from './derived-register.ts'
import { projectionShape, type Shape, shapeId } from './shape.ts'

/** What a process knows of the states of derived data. */
export interface DerivedStates {
  /** Why nothing is known from a shape; undefined where its data hold every item, as far as changes are counted. */
  unknown(shape: Shape): Promise<UnknownReason | undefined>
  /** The register; read again when it is older than so many milliseconds. */
  register(mostAgeMs?: number): Promise<DerivedRegister>
  /** Told what this process has read or written itself. */
  learned(register: DerivedRegister): void
}

/** For how long a process goes by what it has read. */
const KNOWN_MS = 5_000
/** The same while something is not known. */
const LOOK_AGAIN_MS = 1_000
/** For how long a shape is kept after the last process that declares it has asked for it. */
export const USED_MS = 3_600_000

interface View {
  readonly at: number
  readonly register: DerivedRegister
}

/**
 * @param own The shapes that the process declares: as long as it reads them, they are kept.
 */
export function createDerivedStates(
  table: TableClient,
  own: () => readonly Shape[],
  clock: () => number,
): DerivedStates {
  let view: View | undefined
  let reading: Promise<View | undefined> | undefined
  let mayRead = true

  const read = (): Promise<View | undefined> => {
    const at = clock()
    reading ??= asStep(table, { name: 'register' }, () => readDerivedRegister(table))
      .then((register) => {
        // What this process has written meanwhile is later.
        if (view === undefined || register.revision >= view.register.revision) view = { at, register }
        void keepUsed(register, at)
        return view
      })
      .catch((error: unknown) => {
        // Who may read the counts alone can't know; it goes on as every process did before there were states.
        if (meaningOf(error) !== 'denied') throw error
        mayRead = false
        return undefined
      })
      .finally(() => {
        reading = undefined
      })
    return reading
  }
  /** A process that may only read keeps nothing; then another one has to. */
  async function keepUsed({ shapes, usedUntil }: DerivedRegister, now: number): Promise<void> {
    const due = [...new Set(own().map(shapeId))].filter(
      (id) => shapes.has(id) && (usedUntil.get(id) ?? 0) < now + USED_MS / 2,
    )
    if (due.length > 0) await noteUsed(table, due, now + USED_MS).catch(() => undefined)
  }
  const known = async (mostAge: number): Promise<View | undefined> =>
    view !== undefined && Math.abs(clock() - view.at) < mostAge ? view : read()

  return {
    async unknown(shape) {
      if (!mayRead) return undefined
      const last = view === undefined ? undefined : reasonOf(view.register, shape)
      const found = await known(view !== undefined && last === undefined ? KNOWN_MS : LOOK_AGAIN_MS)
      return found === undefined ? undefined : reasonOf(found.register, shape)
    },
    async register(mostAge = KNOWN_MS) {
      const found = await known(mostAge)
      return found?.register ?? asStep(table, { name: 'register' }, () => readDerivedRegister(table))
    },
    learned(register) {
      const at = clock()
      if (view === undefined || register.revision >= view.register.revision) view = { at, register }
      void keepUsed(register, at)
    },
  }
}

/** Whether a projection holds every item: as its store says, and by the register, where that knows of it. One of which neither knows is taken to. */
export async function stateOf(projection: Projection, register: DerivedRegister): Promise<CopyState> {
  const state = isSum(projection) ? 'ready' : ((await projection.state?.()) ?? 'ready')
  if (state !== 'ready' || !isRegistered(projection)) return state
  return reasonOf(register, projectionShape(projection)) ?? state
}

function reasonOf({ shapes, gaps, isCounted }: DerivedRegister, shape: Shape): UnknownReason | undefined {
  const state = shapes.get(shapeId(shape))?.state ?? 'absent'
  if (state !== 'ready') return state
  if (gaps.size > 0) return 'gap'
  return isCounted ? undefined : 'uncounted'
}
