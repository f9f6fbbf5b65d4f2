import { AsyncLocalStorage } from 'node:async_hooks'
import { type Figures, LapidaryError, type Observer, type Work } from 'lapidary'
import type { MetricSink } from './metric-list.ts'

/** The work that units are counted for. */
interface Use {
  readonly collection: string
  readonly operation: string
  lists: string
  readUnits: number
  writeUnits: number
}

const NONE = 'none'

/**
 * Makes an observer that measures: the units of each operation and of the lists of its plan, durations, pages that a budget ended, commits of
 * derived data, and the lag of batches of the change stream.
 *
 * @example
 * ```ts
 * const metrics = embeddedMetrics({ table: 'comments' })
 * const lapidary = createLapidary({ client, tableName, collections: { comments }, cursorSecret, observers: [measuring(metrics)] })
 * ```
 */
export function measuring(sink: MetricSink): Observer {
  const current = new AsyncLocalStorage<Use>()

  async function observeOperation<T>(
    { name, collection }: Extract<Work, { kind: 'operation' }>,
    run: () => Promise<T>,
    figures: (result: T) => Figures,
  ): Promise<T> {
    const use: Use = { collection, operation: name, lists: NONE, readUnits: 0, writeUnits: 0 }
    const startedAt = performance.now()
    let code = 'ok'
    try {
      const result = await current.run(use, run)
      const { stoppedBy } = figures(result)
      if (stoppedBy !== undefined) sink.record('shortPages', 1, { collection, limit: stoppedBy })
      return result
    } catch (error) {
      code = codeOf(error)
      if (code === 'capacity_exhausted') sink.record('shortPages', 1, { collection, limit: 'maxCapacity' })
      throw error
    } finally {
      const seconds = (performance.now() - startedAt) / 1000
      sink.record('operationDuration', seconds, { collection, operation: name, code })
      recordUnits(sink, use)
    }
  }

  async function observeCommit<T>(run: () => Promise<T>, figures: (result: T) => Figures): Promise<T> {
    try {
      const result = await run()
      sink.record('commits', 1, { outcome: figures(result).outcome ?? 'written' })
      return result
    } catch (error) {
      sink.record('commits', 1, { outcome: 'refused' })
      sink.record('refusedCommits', 1, { code: codeOf(error) })
      throw error
    }
  }

  return {
    async observe(work, run, figures) {
      if (work.kind === 'operation') return observeOperation(work, run, figures)
      if (work.kind === 'commit') return observeCommit(run, figures)
      const startedAt = performance.now()
      const result = await run()
      const told = figures(result)
      if (work.kind === 'plan') {
        const use = current.getStore()
        if (use !== undefined) use.lists = told.lists ?? NONE
      } else if (work.kind === 'command') {
        const { readUnits = 0, writeUnits = 0 } = told
        const use = current.getStore()
        if (use === undefined) recordUnits(sink, { ...BACKGROUND, readUnits, writeUnits })
        else {
          use.readUnits += readUnits
          use.writeUnits += writeUnits
        }
      } else if (work.kind === 'batch' && told.lagMs !== undefined) sink.record('lag', told.lagMs / 1000, {})
      else if (work.kind === 'request') {
        const labels = { route: told.route ?? NONE, method: work.method, status: String(told.status ?? '') }
        sink.record('requestDuration', (performance.now() - startedAt) / 1000, labels)
      }
      return result
    },
  }
}

/** The work of no operation: following the change stream, repairs, registers that are read for all. */
const BACKGROUND = { collection: NONE, operation: 'background', lists: NONE } as const

function recordUnits(sink: MetricSink, { readUnits, writeUnits, ...labels }: Use): void {
  const { collection, operation, lists } = labels
  if (readUnits > 0) sink.record('readUnits', readUnits, { collection, operation, lists })
  if (writeUnits > 0) sink.record('writeUnits', writeUnits, { collection, operation, lists })
}

/** Returns the code of an error of the library, or the name of another. */
export function codeOf(error: unknown): string {
  if (error instanceof LapidaryError) return error.code
  return error instanceof Error ? error.name : 'unknown'
}
