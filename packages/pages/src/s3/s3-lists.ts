import type { LapidaryError, PageStore, SortedLists } from 'lapidary'
import { knownOptions, type OptionNames } from 'lapidary/internal'
import { type ListNames, listNames } from '../file/list-names.ts'
import { listPiece } from '../file/lists-reader.ts'
import { type ListsStore, sortedListsIn } from '../file/lists-store.ts'
import { requireMemberBytes } from '../file/options.ts'
import { phaseOf, setPhase } from '../file/phase.ts'
import { uniqueEntry } from '../file/placed-entry.ts'
import { ObjectStore, type StoreSettings } from './object-store.ts'
import { objectsIn, type SendToS3 } from './objects.ts'
import { selectFromObjects } from './select-place.ts'

/** The options of `s3Lists`. */
export interface S3ListsOptions {
  /** An `S3Client` of `@aws-sdk/client-s3`. Its bucket has to keep conditional writes, as S3 itself does. */
  readonly client: SendToS3
  readonly bucket: string
  /** All keys begin with this; `lapidary/` when not given. */
  readonly prefix?: string
  /** Milliseconds for which a question may go by what the one before it saw; 500 when not given. */
  readonly refreshMs?: number
  /** Bytes of logs from which on they are merged into a new base file; 1 MiB when not given, and more where there is more to merge. */
  readonly commitBytes?: number
  /** Memory for what was read; 64 MiB when not given. */
  readonly cacheBytes?: number
  /** Bytes of ids for which entries have room, 0 to 244, longer ones take more; 26 when not given. */
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
  requireMemberBytes('s3Lists', memberBytes, FIELD_BYTES - 1)
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
  const ask: ListsStore['ask'] = (question) =>
    store.read(async ({ layers, all }) => (await all([() => question(layers)]))[0])
  const lists: ListsStore = {
    name: 's3',
    // An entry says its score twice here, so that one read tells whether a list has it.
    form: (_, place) => uniqueEntry(place),
    stepsAtOnce: STEPS_AT_ONCE,
    ask,
    async askLatest(question) {
      await store.refresh()
      return ask(question)
    },
    async names(limit, from) {
      const [piece] = (await store.read(({ layers, all }) => all([() => listPiece(layers.names(from, limit))]))) ?? []
      return piece ?? { items: [], next: undefined }
    },
    async select(question) {
      const answer = await store.read((reading) => selectFromObjects(reading, names, question))
      return answer ?? { total: 0, place: undefined, rcu: 0, rounds: 1 }
    },
    write: (make, warm) => store.write(make, warm),
    async beginFilling() {
      const before = await ask((view) => phaseOf(view, names)).catch(() => undefined)
      const generation = Math.max((before?.generation ?? 0) + 1, clock())
      await store.replace((view) => setPhase(view, names, { state: 'filling', generation }))
      return generation
    },
    commit: () => store.commit(),
    problems: async () => [],
  }
  return sortedListsIn(lists, names)
}
