import type { TableClient } from '../../table/table-client.ts'
import { isCounted, isRegistered, isSum, type Projection } from '../projection.ts'
import type { SumProjection } from '../sum-projection.ts'
import {
  changeDerivedRegister,
  type DerivedRegister,
  noteCounted,
  type RegisteredShape,
  type ShapeState,
  withState,
} from './derived-register.ts'
import type { DerivedStates } from './derived-states.ts'
import { isOwnFormat, projectionShape, type Shape, shapeId } from './shape.ts'

/** What a process that follows the change stream keeps, by a revision of the register. */
export interface Kept {
  readonly revision: number
  readonly projections: readonly Projection[]
}

/**
 * What a process keeps: what it declares, and what it finds registered, as processes keep the keys of indexes that they do not declare. What
 * it can't keep, a function of another process, it marks abandoned before it moves a checkpoint past a change.
 */
export interface KeptShapes {
  /** The shapes that this process declares. */
  readonly own: readonly Shape[]
  /** What it keeps by the register as it was a few seconds ago, at most. */
  current(): Promise<Kept>
  /** The same by the register of now: what is declared and not there is registered, what can't be kept is abandoned, what is not used is ended. */
  refresh(): Promise<Kept>
  /** Projections that are registered in these states and can be kept here, own and of others; changes nothing. */
  registered(states: readonly ShapeState[]): Promise<readonly Projection[]>
  /**
   * Registers shapes to be filled, where they are not there or were abandoned.
   *
   * @returns The revision from which on every process keeps all of them.
   */
  beginFilling(shapes: readonly Shape[]): Promise<number>
  /** Told that the change stream is counted to its end. */
  caughtUp(): Promise<void>
  /** Told that they lack changes that were lost: they are to be filled again. */
  doubt(shapes: readonly Shape[]): Promise<void>
  /** They hold every item now; not those that were abandoned since. */
  markReady(shapes: readonly Shape[], since: number): Promise<void>
}

export interface KeptShapesOptions {
  readonly table: TableClient
  readonly states: DerivedStates
  /** What this process declares. */
  readonly projections: readonly Projection[]
  /** Makes a projection of a shape that another declaration has; undefined where it can't be made here. */
  readonly projectionOf: (shape: Shape) => Promise<Projection | undefined>
  readonly clock: () => number
}

export function createKeptShapes(options: KeptShapesOptions): KeptShapes {
  const { table, states, projectionOf, clock } = options
  const declared = options.projections.filter(isRegistered)
  const own = declared.map(projectionShape)
  const known = new Map(declared.map((each) => [shapeId(projectionShape(each)), each]))
  /** Copies that no register knows. */
  const others = options.projections.filter((each) => isCounted(each) && !isRegistered(each))
  let kept: Kept | undefined
  let refreshing: Promise<Kept> | undefined

  /** What keeps a shape here; undefined of a function of another process. */
  async function keeperOf(shape: Shape): Promise<Projection | undefined> {
    const id = shapeId(shape)
    if (!known.has(id)) {
      const made = isOwnFormat(shape) ? await projectionOf(shape) : undefined
      if (made !== undefined) known.set(id, isSum(made) ? withoutLetters(made) : made)
    }
    return known.get(id)
  }

  async function readKept(): Promise<Kept> {
    const register = await changeDerivedRegister(table, (found) => withOwn(withoutUnused(found, own, clock()), own))
    const unkept: RegisteredShape[] = []
    for (const shape of register.shapes.values()) {
      if (shape.state !== 'abandoned' && (await keeperOf(shape)) === undefined) unkept.push(shape)
    }
    if (unkept.length === 0) {
      states.learned(register)
      return keptBy(register)
    }
    await changeDerivedRegister(table, (found) =>
      withState(found, among(found, unkept, ['filling', 'ready']), 'abandoned'),
    )
    return readKept()
  }

  function keptBy({ revision, shapes }: DerivedRegister): Kept {
    const all = [...shapes].flatMap(([id, { state }]) => (state === 'abandoned' ? [] : (known.get(id) ?? [])))
    return { revision, projections: [...all, ...others] }
  }

  function refresh(): Promise<Kept> {
    refreshing ??= readKept()
      .then((read) => {
        kept = read
        return read
      })
      .finally(() => {
        refreshing = undefined
      })
    return refreshing
  }

  return {
    own,
    async current() {
      if (kept === undefined) return refresh()
      return (await states.register()).revision === kept.revision ? kept : refresh()
    },
    refresh,
    async registered(wanted) {
      const { shapes } = await states.register(0)
      const found = [...shapes.values()].filter(({ state }) => wanted.includes(state))
      return (await Promise.all(found.map(keeperOf))).filter((each) => each !== undefined)
    },
    async beginFilling(wanted) {
      const register = await changeDerivedRegister(table, (found) =>
        withState(found, without(found, wanted, ['filling', 'ready']), 'filling'),
      )
      states.learned(register)
      return Math.max(0, ...wanted.map((shape) => register.shapes.get(shapeId(shape))?.since ?? 0))
    },
    async caughtUp() {
      const register = await states.register()
      if (register.isCounted) return
      await noteCounted(table)
      states.learned({ ...register, isCounted: true })
    },
    async doubt(wanted) {
      states.learned(
        await changeDerivedRegister(table, (found) => withState(found, among(found, wanted, ['ready']), 'filling')),
      )
    },
    async markReady(wanted, since) {
      const register = await changeDerivedRegister(table, (found) => {
        const filled = among(found, wanted, ['filling']).filter(
          (shape) => (found.shapes.get(shapeId(shape))?.since ?? 0) <= since,
        )
        return withState(found, filled, 'ready')
      })
      states.learned(register)
    },
  }
}

/** What another declaration can't read is not counted by it; only who declares it is told. */
function withoutLetters<P extends SumProjection>(projection: P): P {
  return {
    ...projection,
    contributions(image) {
      try {
        return projection.contributions(image)
      } catch {
        return []
      }
    },
  }
}

/** Shapes that are registered in one of some states. */
function among<S extends Shape>({ shapes }: DerivedRegister, wanted: readonly S[], states: readonly ShapeState[]): S[] {
  return wanted.filter((shape) => {
    const state = shapes.get(shapeId(shape))?.state
    return state !== undefined && states.includes(state)
  })
}

function without(register: DerivedRegister, wanted: readonly Shape[], states: readonly ShapeState[]): readonly Shape[] {
  const found = new Set(among(register, wanted, states))
  return wanted.filter((shape) => !found.has(shape))
}

/** With what a process declares that is not there. */
function withOwn(register: DerivedRegister, own: readonly Shape[]): DerivedRegister {
  const missing = own.filter((shape) => !register.shapes.has(shapeId(shape)))
  return withState(register, missing, 'filling')
}

/** Without shapes that no process has asked for. */
function withoutUnused(register: DerivedRegister, own: readonly Shape[], now: number): DerivedRegister {
  const ownIds = new Set(own.map(shapeId))
  const unused = [...register.shapes.keys()].filter(
    (id) => !ownIds.has(id) && (register.usedUntil.get(id) ?? Number.POSITIVE_INFINITY) < now,
  )
  if (unused.length === 0) return register
  const shapes = new Map(register.shapes)
  for (const id of unused) shapes.delete(id)
  return { ...register, shapes }
}
