import { LapidaryError } from '../../../model/errors.ts'
import { knownOptions, type OptionNames } from '../../../model/known-options.ts'
import type { ListsFilling, PageStore, SortedLists } from '../../sorted-lists.ts'
import { inspectLists, type ListsSource } from '../file/inspect-lists.ts'
import { type ListNames, listNames } from '../file/list-names.ts'
import { type ListPiece, listPiece } from '../file/lists-reader.ts'
import { phaseOf, setPhase } from '../file/phase.ts'
import { entryAt, uniqueEntry } from '../file/placed-entry.ts'
import { addSeen, applyChanges, type EntryForm, groupProblem } from '../file/placed-lists.ts'
import { ObjectStore, type StoreSettings } from './object-store.ts'
import { objectsIn, type SendToS3 } from './objects.ts'
import { selectFromObjects } from './select-place.ts'

/** What `s3Lists` takes. */
export interface S3ListsOptions {
  /** An `S3Client` of `@aws-sdk/client-s3`. Its bucket has to keep conditional writes, as S3 itself does. */
  readonly client: SendToS3
  readonly bucket: string
  /** What all keys begin with; `lapidary/` when not given. */
  readonly prefix?: string
  /** Milliseconds for which a question may go by what the one before it saw; 500 when not given. */
  readonly refreshMs?: number
  /** Bytes of logs from which on they are merged into a new base file; 1 MiB when not given, and more where there is more to merge. */
  readonly commitBytes?: number
  /** Memory for what was read; 64 MiB when not given. */
  readonly cacheBytes?: number
  /** Bytes of ids for which entries have room, longer ones take more; 26 when not given. */
  readonly memberBytes?: number
  /** Told when a merge fails, which is tried again after the next change. */
  readonly onError?: (error: LapidaryError) => void
  /** Lets go of the client, where nothing else uses it. */
  readonly close?: () => void
}

const NAMES: OptionNames<S3ListsOptions> = {
  ...{ client: true, bucket: true, prefix: true, refreshMs: true, commitBytes: true, cacheBytes: true },
  ...{ memberBytes: true, onError: true, close: true },
}
const DEFAULTS = { refreshMs: 500, commitBytes: 2 ** 20, cacheBytes: 64 * 2 ** 20 } as const
const MEMBER_BYTES = 26
/** A field's length, and a score behind the member. */
const FIELD_BYTES = 11
const STEPS_AT_ONCE = 5_000
const NAMES_AT_ONCE = 1_000

/** Here an entry says its score twice, so that one read tells whether a list has it. */
const form: EntryForm = (_, place) => uniqueEntry(place)

/**
 * Page numbers from sorted lists in S3: objects that never change, of which parts are read, and a manifest that is swapped where it is
 * as it was seen. Any number of processes may read, and several may write.
 *
 * @example
 * ```ts
 * import { S3Client } from '@aws-sdk/client-s3'
 *
 * const pages = s3Lists({ client: new S3Client({}), bucket: 'comments-pages' })
 * ```
 */
export function s3Lists(options: S3ListsOptions): PageStore {
  const {
    client,
    bucket,
    prefix = 'lapidary/',
    memberBytes = MEMBER_BYTES,
    close,
  } = knownOptions('s3Lists', options, NAMES, 'declaration_invalid')
  const { onError = () => {} } = options
  const settings: StoreSettings = { ...DEFAULTS, ...options, memberBytes: memberBytes + FIELD_BYTES, onError }
  return {
    name: 's3',
    apart: true,
    open({ namespace, table, clock }) {
      const objects = objectsIn(client, bucket, `${prefix}${encodeURIComponent(`${table.tableName}/${namespace}`)}/`)
      const store = new ObjectStore(objects, settings)
      return {
        ...listsOf(store, listNames(''), clock),
        async close() {
          await store.written()
          close?.()
        },
      }
    },
  }
}

function listsOf(store: ObjectStore, names: ListNames, clock: () => number): Omit<SortedLists, 'close'> {
  const phase = () =>
    store
      .read(async ({ layers, all }) => (await all([() => phaseOf(layers, names)]))[0])
      .then((found) => found ?? ABSENT)
  return {
    name: 's3',
    async select(question) {
      const answer = await store.read((reading) => selectFromObjects(reading, names, question))
      return answer ?? { total: 0, place: undefined, rcu: 0, rounds: 1 }
    },
    async state() {
      try {
        return (await phase()).state
      } catch (error) {
        // It has to be built anew, as one that is not there.
        if (error instanceof LapidaryError && error.code === 'page_index_damaged') return 'absent'
        throw error
      }
    },
    async create() {
      if ((await phase()).state !== 'absent') return
      await store.write((lists) => {
        if (phaseOf(lists, names).state === 'absent') setPhase(lists, names, { state: 'ready', generation: 1 })
      })
    },
    async fill(): Promise<ListsFilling> {
      const { generation: before } = await phase().catch(() => ABSENT)
      const generation = Math.max(before + 1, clock())
      await store.replace((lists) => setPhase(lists, names, { state: 'filling', generation }))
      const whileFilling = (make: Parameters<typeof store.write<void>>[0]): Promise<void> =>
        store.write((lists) => {
          const now = phaseOf(lists, names)
          if (now.state === 'filling' && now.generation === generation) return make(lists)
          throw new LapidaryError('unavailable', 'another process began to fill the page index; run it again')
        })
      return {
        async add(entries) {
          for (let i = 0; i < entries.length; i += STEPS_AT_ONCE) {
            const part = entries.slice(i, i + STEPS_AT_ONCE)
            await whileFilling((lists) => addSeen(lists, names, form, generation, part))
          }
        },
        async finish() {
          await whileFilling((lists) => setPhase(lists, names, { state: 'ready', generation }))
          await tidy(store, names, generation)
          // A process without memory reads a part of a base file sooner than all of the logs.
          await store.commit()
        },
        isGivenUp: () => false,
      }
    },
    async apply(shardId, changes) {
      for (let i = 0; i < changes.length; i += STEPS_AT_ONCE) {
        const part = changes.slice(i, i + STEPS_AT_ONCE)
        const { state, generation } = await phase()
        if (state === 'absent') return
        await store.write(
          (lists) => applyChanges(lists, names, form, shardId, part),
          (lists) =>
            part.flatMap(({ steps }) =>
              steps.map(({ group, cell, place }) => () => {
                entryAt(lists.list(names.entries(generation, group, cell)), place)
              }),
            ),
        )
      }
    },
    async inspect() {
      const { generation } = await phase()
      const ask: ListsSource['ask'] = (question) =>
        store.read(async ({ layers, all }) => (await all([() => question(layers)]))[0])
      const source: ListsSource = {
        ask,
        async askLatest(question) {
          await store.refresh()
          return ask(question)
        },
        names: (limit, from) => namesIn(store, limit, from),
      }
      return inspectLists(source, names, generation)
    },
    async validate(group) {
      const problem = await store.read(async ({ layers, all }) => {
        return (await all([() => groupProblem(layers, names, group)]))[0]
      })
      if (problem !== undefined) throw new Error(problem)
    },
  }
}

const ABSENT = { state: 'absent', generation: 0 } as const

/** Removes what only the filling needed. */
async function tidy(store: ObjectStore, names: ListNames, generation: number): Promise<void> {
  for (let from: number | undefined = 0; from !== undefined; ) {
    const { items, next }: ListPiece = await namesIn(store, NAMES_AT_ONCE, from)
    const left = items.filter((list) => names.isLeft(list, generation))
    await store.write((lists) => {
      for (const list of left) lists.change({ type: 'drop', list })
    })
    from = next
  }
}

async function namesIn(store: ObjectStore, limit: number, from: number): Promise<ListPiece> {
  const [piece] = (await store.read(({ layers, all }) => all([() => listPiece(layers.names(from, limit))]))) ?? []
  return piece ?? { items: [], next: undefined }
}
