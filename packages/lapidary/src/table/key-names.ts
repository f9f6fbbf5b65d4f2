import type { Entry } from '../model/entry.ts'
import { LapidaryError, shown } from '../model/errors.ts'
import { isTableAttribute } from '../model/reserved-names.ts'

/**
 * The names of a table's key attributes, where they are not `PK` and `SK`.
 *
 * @example
 * ```ts run
 * const named = createLapidary({ client, tableName, keys: { pk: 'PK', sk: 'SK' }, collections: { comments }, cursorSecret })
 * ```
 */
export interface KeyNames {
  readonly pk: string
  readonly sk: string
}

/** The names of the key attributes inside of the library, and in a table whose names are not given. */
export const USUAL_KEYS: KeyNames = Object.freeze({ pk: 'PK', sk: 'SK' })

const LONGEST_NAME = 255

/** @throws {LapidaryError} `declaration_invalid` for two equal names, or names that the table uses for something else. */
export function checkedKeyNames(keys: KeyNames): KeyNames {
  const usual: readonly string[] = Object.values(USUAL_KEYS)
  for (const [which, name] of Object.entries(keys)) {
    const isTaken = isTableAttribute(name) && !usual.includes(name)
    if (name === '' || Buffer.byteLength(name) > LONGEST_NAME || isTaken) {
      throw new LapidaryError(
        'declaration_invalid',
        `keys.${which} is ${shown(name)}; name the table's own attribute, of 1 to ${LONGEST_NAME} bytes, and none of those that indexes and expiry use (k, s, ttl)`,
      )
    }
  }
  if (keys.pk === keys.sk) throw new LapidaryError('declaration_invalid', `keys.pk and keys.sk are both ${keys.pk}`)
  // The two names swap with the usual ones, so neither can take the other's usual name by itself.
  if ((keys.pk === USUAL_KEYS.sk) !== (keys.sk === USUAL_KEYS.pk)) {
    throw new LapidaryError(
      'declaration_invalid',
      `keys are ${keys.pk} and ${keys.sk}, and the table's partition key can't be called SK nor its sort key PK alone; such a table can't be used`,
    )
  }
  return keys
}

/**
 * Renames the keys in commands to a table and in its answers, and back. Names swap, so an attribute of an item may have the name of the table's
 * keys.
 */
export interface KeyRenaming {
  /** Returns a client whose commands and answers have the table's names. Tables and indexes are not renamed. */
  client<C extends object>(client: C): C
  /** Renames a part of a command, of an answer, or of a stream event. */
  renamed<T>(part: T): T
}

/**
 * Makes the renaming.
 *
 * @throws {LapidaryError} `declaration_invalid`, see {@link checkedKeyNames}.
 */
export function keyRenaming(keys: KeyNames): KeyRenaming {
  const { pk, sk } = checkedKeyNames(keys)
  const other = new Map([
    [pk, 'PK'],
    [sk, 'SK'],
    ['PK', pk],
    ['SK', sk],
  ])
  const nameOf = (name: string): string => other.get(name) ?? name
  const entry = (attributes: Entry): Entry =>
    Object.fromEntries(Object.entries(attributes).map(([name, value]) => [nameOf(name), value]))
  const each = (entries: readonly Entry[]): readonly Entry[] => entries.map(entry)

  function field(name: string, value: unknown): unknown {
    if (value === undefined || name === 'ExpressionAttributeValues') return value
    if (ENTRIES.has(name)) return Array.isArray(value) ? each(value) : entry(value as Entry)
    if (name === 'Statement') return (value as string).replaceAll(NAME_IN_STATEMENT, (_, of) => `'${nameOf(of)}'`)
    if (name === 'ExpressionAttributeNames') return mapped<string>(value as object, (_, of) => nameOf(of))
    if (BY_TABLE.has(name) && !Array.isArray(value)) {
      return mapped(value as object, (_, of) => (name === 'Responses' ? each(of as Entry[]) : renamed(of)))
    }
    return renamed(value)
  }

  function renamed<T>(part: T): T {
    if (Array.isArray(part)) return part.map(renamed) as T
    if (!isPlain(part)) return part
    return mapped(withPlaceholders(part), field) as T
  }

  return {
    renamed,
    client<C extends object>(client: C): C {
      const { send } = client as { send: (command: object, ...settings: unknown[]) => Promise<unknown> }
      const sending = async (command: RenamedCommand, ...settings: unknown[]): Promise<unknown> => {
        const Command = command.constructor as new (input: object) => object
        try {
          const { middlewareStack } = command
          const sent = Object.assign(new Command(renamed(command.input)), middlewareStack && { middlewareStack })
          return renamed(await send.call(client, sent, ...settings))
        } catch (error) {
          throw withRenamedItems(error, renamed)
        }
      }
      return new Proxy(client, { get: (of, name) => (name === 'send' ? sending : Reflect.get(of, name)) })
    },
  }
}

/** A command of the SDK, which may have middleware of its own. */
interface RenamedCommand {
  readonly input: object
  readonly middlewareStack?: object
}

/** Fields that hold an entry or a key, or some of them. */
const ENTRIES: ReadonlySet<string> = new Set([
  ...['Item', 'Items', 'Key', 'Keys', 'Attributes', 'ExclusiveStartKey', 'LastEvaluatedKey', 'NewImage', 'OldImage'],
])
/** Fields with a part for each table, whose name may equal that of any other field. */
const BY_TABLE: ReadonlySet<string> = new Set(['RequestItems', 'Responses', 'UnprocessedItems', 'UnprocessedKeys'])
/** The library's only statements are insertions: `VALUE {'PK': ?, …}`. */
const NAME_IN_STATEMENT = /'([^']*)'(?=: \?)/g
const KEY_IN_EXPRESSION = /(?<![#:.\w])(PK|SK)(?!\w)/g

/** Puts placeholders for key names into expressions: the table's names may be words that DynamoDB reserves. */
function withPlaceholders(part: object): object {
  const names: Record<string, string> = {}
  const spelled = mapped(part, (field, value) => {
    if (!field.endsWith('Expression') || typeof value !== 'string') return value
    return value.replaceAll(KEY_IN_EXPRESSION, (name) => {
      names[`#${name}`] = name
      return `#${name}`
    })
  })
  if (Object.keys(names).length === 0) return part
  const { ExpressionAttributeNames } = part as { readonly ExpressionAttributeNames?: object }
  return { ...spelled, ExpressionAttributeNames: { ...ExpressionAttributeNames, ...names } }
}

/** Renames the keys of an item that DynamoDB shows with a refused condition. */
function withRenamedItems(error: unknown, renamed: <T>(part: T) => T): unknown {
  if (error instanceof Error) {
    for (const field of ['Item', 'CancellationReasons'] as const) {
      const shownItems = error as { Item?: unknown; CancellationReasons?: unknown }
      if (shownItems[field] !== undefined) Object.assign(error, renamed({ [field]: shownItems[field] }))
    }
  }
  return error
}

function mapped<V>(part: object, of: (name: string, value: V) => unknown): object {
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, of(name, value as V)]))
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}
