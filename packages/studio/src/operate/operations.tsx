import { hostname } from 'node:os'
import type { Child } from 'hono/jsx'
import type { Backfill, BackfillProgress, MaintenanceProgress, Mending, Verification } from 'lapidary'
import type { StudioOptions } from '../studio-options.ts'
import { count, duration, number } from '../web/words.ts'
import type { JobProgress, JobRun } from './jobs.ts'
import { BackfillOutcome, FindingsOutcome, VerificationOutcome } from './outcomes.tsx'

/** An operation that the studio has a button for. */
export interface Operation {
  readonly kind: string
  readonly title: string
  /** What it does, beside its button. */
  readonly says: string
  /** Whether it writes to the table. */
  readonly writes: boolean
  readonly run: JobRun
}

/** Returns the operations of a database, those that only look first. */
export function operationsOf({ database, collections, examine }: StudioOptions): readonly Operation[] {
  const { derived, table, stream } = database
  const owner = (): string =>
    `lapidary studio on ${hostname()}, process ${process.pid}, since ${new Date().toISOString()}`
  const mending =
    (mend: (options: Parameters<typeof derived.repair>[0]) => Promise<Mending>): JobRun =>
    async (report, signal) => {
      const found = await mend({
        signal,
        owner: owner(),
        onProgress: (progress) => report(maintenanceProgress(progress)),
      })
      return outcomeOf(found)
    }
  const rebuilding = (what: string): JobRun => mending((options) => derived.rebuild(what, options))
  const hasPages = Object.values(collections).some(({ client }) => client.context.pages.length > 0)
  const hasColumns = Object.values(collections).some(({ client }) => client.context.columns !== undefined)
  const operations: readonly (Operation | undefined)[] = [
    examine && {
      ...{ kind: 'doctor', title: 'Doctor', writes: false },
      says: 'Compares the table with its declaration, and looks at its stream for some seconds.',
      run: async (report, signal) => {
        report({ text: 'looking at the table, its indexes and its stream' })
        return <FindingsOutcome findings={await examine(signal)} />
      },
    },
    {
      ...{ kind: 'verify', title: 'Verify', writes: false },
      says: 'Recounts all that is derived from the items, and names every difference.',
      run: async (report, signal) =>
        outcomeOf(await derived.verify({ signal, onProgress: (progress) => report(maintenanceProgress(progress)) })),
    },
    {
      ...{ kind: 'catch-up', title: 'Count what waits', writes: true },
      says: 'Follows the change stream to its end, where no process does.',
      run: async (report, signal) => {
        report({ text: 'reading the change stream' })
        await stream.catchUp({ signal })
        return 'Everything in the stream is counted.'
      },
    },
    {
      ...{ kind: 'repair', title: 'Repair', writes: true },
      says: 'Mends the differences that verify finds, and nothing else.',
      run: mending((options) => derived.repair(options)),
    },
    {
      ...{ kind: 'rebuild-statistics', title: 'Rebuild counts', writes: true },
      says: 'Makes counts and leaderboards anew from the items.',
      run: rebuilding('statistics'),
    },
    hasPages
      ? {
          ...{ kind: 'rebuild-pages', title: 'Rebuild page index', writes: true },
          says: 'Makes page numbers anew from the items; pages have cursors only until then.',
          run: async (report, signal) => {
            const { items, capacity } = await derived.rebuildPages({
              signal,
              onProgress: (progress) => report(maintenanceProgress(progress)),
            })
            return `${count(items, 'item')} in the page index, ${count(Math.round(capacity), 'capacity unit')}.`
          },
        }
      : undefined,
    hasColumns
      ? {
          ...{ kind: 'rebuild-columns', title: 'Rebuild columns', writes: true },
          says: 'Makes columns anew from the items.',
          run: rebuilding('columns'),
        }
      : undefined,
    {
      ...{ kind: 'rebuild-all', title: 'Rebuild all', writes: true },
      says: 'Makes all that is derived anew, from one scan.',
      run: rebuilding('all'),
    },
    {
      ...{ kind: 'backfill', title: 'Backfill', writes: true },
      says: 'Writes the keys that items lack of new indexes and facets.',
      run: async (report, signal) => {
        const done: Backfill = await table.backfill({
          ...{ signal, owner: owner() },
          onProgress: (progress) => report(backfillProgress(progress)),
        })
        return <BackfillOutcome done={done} />
      },
    },
  ]
  return operations.filter((operation) => operation !== undefined)
}

function outcomeOf(found: Verification | Mending): Child {
  return <VerificationOutcome found={found} />
}

function maintenanceProgress({ phase, done, total, leftMs, capacity, differences }: MaintenanceProgress): JobProgress {
  const left = leftMs === undefined ? '' : `, ${duration(leftMs)} left`
  const what: Readonly<Record<typeof phase, string>> = {
    scan: `reading the table: ${count(done, 'item')}`,
    sample: `reading a sample: ${count(done, 'scope')}`,
    fill: 'writing entries in order',
    stream: `reading the change stream: ${count(done, 'record')}`,
    compare: `comparing: ${number(done)} of what is derived, ${count(differences, 'difference')}`,
    count: `counting what is in the stream: ${count(done, 'change')}`,
  }
  return { text: `${what[phase]}${left}; ${count(Math.round(capacity), 'capacity unit')}`, done, total }
}

function backfillProgress({
  collection,
  phase,
  done,
  total,
  written,
  leftMs,
  capacity,
}: BackfillProgress): JobProgress {
  const left = leftMs === undefined ? '' : `, ${duration(leftMs)} left`
  const what: Readonly<Record<typeof phase, string>> = {
    wait: 'waiting until every process that writes knows of the indexes',
    scan: `reading the table: ${count(done, 'item')}, ${number(written)} written`,
    build: 'waiting until DynamoDB has built the indexes',
  }
  return { text: `${collection}: ${what[phase]}${left}; ${count(Math.round(capacity), 'capacity unit')}`, done, total }
}
