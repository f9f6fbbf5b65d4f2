import type { Projection } from '../derived/projection.ts'
import { projectionShape, shapeId } from '../derived/register/shape.ts'
import { LapidaryError } from '../model/errors.ts'
import { type MendOptions, repair } from '../recount/mend.ts'
import { pauseUnless } from '../stream/pause-unless.ts'
import type { Poller } from '../stream/poller.ts'
import { type Database, derivedOf } from './database.ts'
import { fillDerived, makeFirst, unreadyOf } from './fill-derived.ts'

/** What a process that follows the change stream does beside counting. */
export interface KeepOptions {
  /**
   * Whether what it declares and the table does not hold completely is made in the background, or tells whether it is by now; true when not
   * given.
   */
  readonly fill?: boolean | (() => boolean) | undefined
  /** Whether losses of the change stream are made up for by a repair in the background; false when not given. */
  readonly heal?: boolean | undefined
  /** Told once of shards of which changes were lost, and of none once a repair has made up for them. */
  readonly onGap?: ((shardIds: readonly string[]) => void) | undefined
  /** Capacity units a second that filling and healing may take together; when not given 100, without limit where the stream is `immediate`. */
  readonly capacity?: number | undefined
}

interface Keeping extends KeepOptions {
  readonly database: Database
  /** The one that counts. */
  readonly poller: Pick<Poller, 'status'>
  readonly idleMs: number
  readonly onError: (error: unknown) => void
}

const CAPACITY = 100

/** An engine whose stream is immediate is one's own, and counts no units. */
function capacityOf({ stream }: Database): number {
  return stream.immediate === true ? Number.POSITIVE_INFINITY : CAPACITY
}

/** Between two looks at the register, which it costs a read to look at. */
const LOOK_MS = 5_000
/** The same while something is missing. */
const SOON_MS = 500
const MOST_WAIT_MS = 60_000

interface KeepOnce {
  readonly signal: AbortSignal | undefined
  readonly idleMs: number
}

/** Fills and heals what there is to fill and heal now, as a process does that only looks in. */
export async function keepOnce(
  database: Database,
  { fill = true, heal = false, capacity = capacityOf(database), signal, idleMs }: Omit<KeepOptions, 'onGap'> & KeepOnce,
): Promise<void> {
  const options: MendOptions = { capacity, ...(signal === undefined ? {} : { signal }), idleMs }
  const { gaps } = await database.derivedStates.register(0)
  if (heal && gaps.size > 0) await repair(await derivedOf(database, { compares: () => true }), options)
  if (typeof fill === 'function' ? fill() : fill) await fillDerived(database, options)
}

/** Fills and heals until it is disposed of. What goes wrong is told, and tried again later. */
export function startKeeper({ fill = true, heal = false, ...keeping }: Keeping): AsyncDisposable {
  const { database, poller, idleMs, onError, onGap, capacity = capacityOf(database) } = keeping
  const mayFill = typeof fill === 'function' ? fill : () => fill
  let told = ''
  let isBegun = false
  const ending = new AbortController()
  const { signal } = ending
  const options = { capacity, idleMs, signal, poll: false }

  /** Whether there was something to do. */
  async function look(mostAgeMs: number): Promise<boolean> {
    const register = await database.derivedStates.register(mostAgeMs)
    const { shapes, gaps } = register
    const isFirst = !isBegun && mayFill()
    isBegun ||= isFirst
    if (isFirst && !register.isCounted) await makeFirst(database, options)
    const found = [...gaps].sort()
    if (found.join() !== told) onGap?.(found)
    told = found.join()
    if (heal && gaps.size > 0) {
      await repair(await derivedOf(database, { compares: () => true }), options)
      return true
    }
    const unready = await unreadyOf(database, register)
    // A process of another declaration that holds a shard would leave them behind again.
    const isAlone = poller.status().caughtUpAt !== undefined
    const isLeftBehind = (each: Projection): boolean =>
      shapes.get(shapeId(projectionShape(each)))?.state === 'abandoned'
    if (!mayFill() || unready.every((each) => !isAlone && isLeftBehind(each))) return unready.length > 0
    return (await fillDerived(database, options)).filled > 0
  }

  async function run(): Promise<void> {
    for (let [failures, pauseMs] = [0, SOON_MS]; !signal.aborted; ) {
      try {
        pauseMs = (await look(pauseMs)) ? SOON_MS : LOOK_MS
        failures = 0
        await pauseUnless(signal, pauseMs)
      } catch (error) {
        if (signal.aborted) return
        failures += 1
        // Another process that does the same is no error.
        if (!(error instanceof LapidaryError) || error.details?.holder === undefined) onError(error)
        await pauseUnless(signal, Math.min(MOST_WAIT_MS, SOON_MS * 2 ** failures))
      }
    }
  }

  const running = run()
  return {
    async [Symbol.asyncDispose]() {
      ending.abort()
      await running
    },
  }
}
