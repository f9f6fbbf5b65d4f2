import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { type CollectionClient, collectionClient } from '../collection-client.ts'
import { createCursorCodec } from '../cursor/cursor.ts'
import { createDerivedStates } from '../derived/register/derived-states.ts'
import { templateLists } from '../layouts/key-templates/template-lists.ts'
import type { CollectionLayout, List, Lists } from '../layouts/layout.ts'
import { type NativeOptions, nativeLayout } from '../layouts/native-keys/native-keys.ts'
import type { Collection } from '../model/collection.ts'
import { createEntryCodec } from '../model/entry.ts'
import { LapidaryError, shown } from '../model/errors.ts'
import { knownOptions, type OptionNames } from '../model/known-options.ts'
import type { CollectionContext } from '../operations/context.ts'
import { MAX_SOURCES } from '../planner/plan-query.ts'
import { defineTable } from '../schema/table-definition.ts'
import { type Observer, observedBy } from '../table/observer.ts'
import { sleep } from '../table/retrying.ts'
import { createTableClient } from '../table/table-client.ts'
import { createAttachedStates } from './attached-states.ts'
import { type AttachedTable, attachedTable } from './attached-table.ts'
import type { Attachment, Attachments } from './attachment.ts'

/** Options of `attach`. */
export interface AttachOptions<A extends Attachments> {
  readonly client: DynamoDBClient
  /** The table that another program writes. */
  readonly tableName: string
  /** Collections by the name that they get in code; not `table`. */
  readonly collections: A
  /** Secrets that sign cursors: at least 16 characters. The first signs and all verify, so secrets can be rotated. */
  readonly cursorSecret: string | readonly string[]
  /** The most lists that one plan reads; 32 when not given. */
  readonly maxSources?: number
  /** The price of an extra round of requests, in RCU; 3 when not given. */
  readonly roundPrice?: number
  /** Milliseconds since 1970; `Date.now` when not given. */
  readonly clock?: () => number
  /** A source of numbers from 0 to 1, for jitter; `Math.random` when not given. */
  readonly random?: () => number
  /** Follow the library's work, for traces and metrics, the outermost first; none when not given. */
  readonly observers?: readonly Observer[]
}

const NAMES: OptionNames<AttachOptions<Attachments>> = {
  ...{ client: true, tableName: true, collections: true, cursorSecret: true },
  ...{ maxSources: true, roundPrice: true, clock: true, random: true, observers: true },
}
const ATTACHMENT_NAMES: OptionNames<Attachment> = { collection: true, kind: true, projection: true, keys: true }

const OFFERED = ['list', 'iterate', 'explain', 'plan'] as const

/** The methods of a collection that another program writes. */
export type AttachedClient<C extends Collection> =
  C extends Collection<infer I, infer F, infer D> ? Pick<CollectionClient<I, F, D>, (typeof OFFERED)[number]> : never

/** Lists of a table that another program writes: a client for each collection by its name, and the table. */
export type Attached<A extends Attachments> = {
  readonly [K in keyof A]: AttachedClient<A[K]['collection']>
} & { readonly table: AttachedTable }

/**
 * Opens lists over a table that another program writes and goes on writing: any combination of filters, pages by cursor, each with its plan. It
 * needs indexes on attributes that the items have already, which DynamoDB fills by itself. It writes nothing.
 *
 * @throws {LapidaryError} `declaration_invalid` for an attribute that can't be a key, or a secret that is too short.
 * @example
 * ```ts
 * const shop = attach({ client, tableName, collections: { comments: { collection: comments } }, cursorSecret })
 * for (const update of await shop.table.missing()) console.log(JSON.stringify(update, null, 2))
 * const page = await shop.comments.list({ scope: '42', where: { rating: [4, 5] } })
 * ```
 */
export function attach<const A extends Attachments>(options: AttachOptions<A>): Attached<A> {
  const {
    client,
    tableName,
    maxSources = MAX_SOURCES,
    roundPrice,
    clock = Date.now,
    random = Math.random,
    observers,
  } = knownOptions('attach', options, NAMES, 'declaration_invalid')
  for (const [name, attachment] of Object.entries(options.collections))
    knownOptions(`the attachment ${name}`, attachment, ATTACHMENT_NAMES, 'declaration_invalid')
  if (Object.hasOwn(options.collections, 'table')) {
    throw new LapidaryError(
      'declaration_invalid',
      "a collection can't have the name table, which attach uses itself; choose another name in code",
    )
  }
  const table = createTableClient({ client, tableName, random, sleep, observe: observedBy(observers) })
  const cursors = createCursorCodec(options.cursorSecret)
  const attached = Object.entries(options.collections).map(([name, attachment]) => ({
    name,
    attachment,
    layout: attachedLayout(attachment),
  }))
  const definition = defineTable(
    tableName,
    attached.map(({ layout }) => layout.indexes),
  )
  const isInTable = Object.values(options.collections).some(({ keys }) =>
    keys?.some(({ index }) => index === undefined),
  )
  const states = createAttachedStates(table, definition, clock, isInTable)
  const derivedStates = createDerivedStates(table, () => [], clock)
  const clients = attached.map(({ name, attachment: { collection }, layout }) => {
    const context: CollectionContext = {
      ...{ collection, layout, table, cursors, states, maxSources, roundPrice, clock },
      // The table holds nothing of the library's, so every attribute is the item's.
      codec: createEntryCodec(collection, () => false),
      pages: [],
      derivedStates,
      statistics: undefined,
      hooks: undefined,
      now: () => performance.now(),
    }
    return [name, readingOnly(name, collectionClient(context))] as const
  })
  const services = { table: attachedTable({ client, definition, attachments: options.collections, states }) }
  return Object.freeze({ ...Object.fromEntries(clients), ...services }) as unknown as Attached<A>
}

function attachedLayout({ collection, kind = {}, projection = 'all', keys }: Attachment): CollectionLayout {
  const { name, leaderboards, sums } = collection
  const kept = leaderboards.length > 0 ? 'leaderboards' : sums.length > 0 ? 'sums' : undefined
  if (kept !== undefined) {
    throw new LapidaryError(
      'declaration_invalid',
      `${name} is written by another program, so it has no ${kept}; leave them out of the declaration`,
    )
  }
  requireTexts(collection, kind)
  const options: NativeOptions = { kind, complete: false, projection }
  if (keys === undefined) return nativeLayout(collection, options)
  const native = nativeLayout({ ...collection, indexes: collection.indexes ?? {} }, options)
  const templates = templateLists(collection, keys, kind)
  const listsOf = (list: List): Lists => (templates.owns(list) ? templates : native)
  return {
    ...native,
    indexes: [...native.indexes, ...templates.indexes],
    accessPaths(...asked) {
      const each = [templates, native].map((lists) => lists.accessPaths(...asked))
      return { paths: each.flatMap(({ paths }) => paths), refused: each.flatMap(({ refused }) => refused) }
    },
    keyConditions: (list, range) => listsOf(list).keyConditions(list, range),
    positionOf: (list, entry) => listsOf(list).positionOf(list, entry),
    membership: {
      has: (list, entry) => !templates.owns(list) || templates.membership.has(list, entry),
      names: (list) => (templates.owns(list) ? templates.membership.names(list) : []),
    },
  }
}

/** Refuses an empty text: no key holds one, so an index on a kind that has it would list nothing. */
function requireTexts({ name }: Collection, kind: unknown): void {
  const refuse: (given: string) => never = (given) => {
    throw new LapidaryError(
      'declaration_invalid',
      `${name} has the kind ${given}; give a text that is not empty for each attribute, as { type: 'ORDER' }, or leave kind out`,
    )
  }
  if (kind === null || typeof kind !== 'object' || Array.isArray(kind)) refuse(shown(kind))
  for (const [attribute, text] of Object.entries(kind)) {
    if (attribute === '') refuse(`${shown(attribute)}: ${shown(text)}`)
    if (typeof text !== 'string' || text === '') refuse(`${attribute}: ${shown(text)}`)
  }
}

/** Returns the reading part of a client; the other members throw an error that says why they are not there. */
function readingOnly(name: string, client: CollectionClient<unknown>): Readonly<Record<string, unknown>> {
  const refused = (member: string) => (): never => {
    throw new LapidaryError(
      'not_implemented',
      `${name}.${member} does not exist: ${name} is attached to a table that another program writes. Lapidary reads its lists (${OFFERED.join(', ')}), and keeps no derived data of it`,
    )
  }
  const isOffered = (member: string): boolean => (OFFERED as readonly string[]).includes(member)
  return Object.freeze(
    Object.fromEntries(
      Object.entries(client).flatMap(([member, value]) => {
        if (member === 'list' || member === 'explain') return [[member, withoutWritten(name, value as Reads)]]
        if (isOffered(member)) return [[member, value]]
        return typeof value === 'function' ? [[member, refused(member)]] : []
      }),
    ),
  )
}

type Reads = (given: { readonly written?: unknown } | undefined) => Promise<unknown>

/** Refuses to look items up that were just written: the keys of the other program's items are not known. */
function withoutWritten(name: string, read: Reads): Reads {
  return async (given) => {
    if (given?.written === undefined) return read(given)
    throw new LapidaryError(
      'not_implemented',
      `${name} is attached to a table that another program writes, so Lapidary does not know the keys by which items that were just written are looked up; leave out written`,
    )
  }
}
