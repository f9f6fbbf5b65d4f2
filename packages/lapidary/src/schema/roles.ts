import { indexes } from '../layouts/indexes/indexes.ts'
import type { Layout } from '../layouts/layout.ts'
import type { Collection } from '../model/collection.ts'

/** What a statement is on: the table, its indexes, its change stream, or whatever the account has. */
export type RoleResource = 'table' | 'indexes' | 'stream' | 'any'

/** Rights of a role, as IAM has them: `docs/iam.md` says what each action is for. */
export interface RoleStatement {
  /** Without `dynamodb:`. */
  readonly actions: readonly string[]
  readonly on: readonly RoleResource[]
  /** The partition keys of all items that are asked for, as patterns; any when not given. */
  readonly keys?: readonly string[]
  /** Attributes that no expression may name. */
  readonly without?: readonly string[]
}

/** The parts that a program has, each with rights of its own; `maintenance` is the command line, and `upkeep` fills and mends by itself. */
export type RoleName = 'reader' | 'application' | 'projections' | 'upkeep' | 'maintenance'

/** What the roles of a table go by. */
export interface RolesOf {
  readonly collections: Readonly<Record<string, Pick<Collection, 'name'>>>
  readonly layout?: Layout | undefined
  /** Partition keys that projections of your own write beside `~…`, as patterns: `AUTHOR#*`. */
  readonly projectionKeys?: readonly string[] | undefined
  /** Partition keys that the application writes beside its items, in transactions with them or apart, as patterns: `NOTE#*`. */
  readonly applicationKeys?: readonly string[] | undefined
}

const READ = ['Query', 'GetItem', 'BatchGetItem']
const WRITE = ['PutItem', 'UpdateItem', 'DeleteItem']
const COMMIT = [...WRITE, 'ConditionCheckItem']
/** Everything that Lapidary keeps for itself; no item's partition begins so. */
const DERIVED = '~*'
/** The partition where programs note which counts and boards they read, beside the item of what is registered. */
const REGISTER = '~DERIVED'
const REGISTERED = ['revision', 'shapes']

/**
 * Returns the rights of each role on a table, by partition keys: a reader writes nothing, an application writes items and nothing that is derived
 * from them, projections write what is derived and no item.
 *
 * @example
 * ```ts run
 * const { reader } = rolesOf({ collections: { comments } })
 * console.log(reader.flatMap(({ actions }) => actions)) // [ 'Query', 'GetItem', 'BatchGetItem' ]
 * ```
 */
export function rolesOf({
  collections,
  layout = indexes(),
  projectionKeys = [],
  applicationKeys = [],
}: RolesOf): Readonly<Record<RoleName, readonly RoleStatement[]>> {
  const all = Object.values(collections)
  const items = all.map(({ name }) => `${name}#*`)
  const keptByStream = all.flatMap((collection) =>
    layout.of(collection as Collection).duplicates === undefined ? [] : [`${collection.name}#*`],
  )
  const read: RoleStatement = { actions: READ, on: ['table', 'indexes'] }
  const follow: readonly RoleStatement[] = [
    { actions: ['DescribeStream', 'GetShardIterator', 'GetRecords'], on: ['stream'] },
    { actions: ['DescribeTable'], on: ['table'] },
    // The event source mapping asks for it, and DynamoDB has no resource for it.
    { actions: ['ListStreams'], on: ['any'] },
  ]
  const write = (actions: readonly string[], keys: readonly string[]): RoleStatement => ({
    actions,
    on: ['table'],
    keys,
  })
  const scan: RoleStatement = { actions: [...READ, 'Scan'], on: ['table', 'indexes'] }
  return {
    reader: [read],
    application: [
      read,
      write(WRITE, [...items, ...all.map(({ name }) => `~once#${name}#*`), ...applicationKeys]),
      // A part of a transaction of the application's own may only look.
      ...(applicationKeys.length === 0 ? [] : [write(['ConditionCheckItem'], [...items, ...applicationKeys])]),
      { actions: ['UpdateItem'], on: ['table'], keys: [REGISTER], without: REGISTERED },
    ],
    projections: [read, write(COMMIT, [DERIVED, ...keptByStream, ...projectionKeys]), ...follow],
    upkeep: [scan, write(COMMIT, [DERIVED, ...items, ...projectionKeys]), ...follow],
    maintenance: [
      scan,
      write([...COMMIT, 'BatchWriteItem', 'PartiQLInsert'], [DERIVED, ...items, ...projectionKeys]),
      { actions: ['DescribeTimeToLive'], on: ['table'] },
      ...follow,
    ],
  }
}

/**
 * Returns the conditions of a statement in the words of IAM; undefined where it has none.
 *
 * @example
 * ```ts run
 * const { projections } = rolesOf({ collections: { comments } })
 * const conditions = projections.map(roleConditions)
 * ```
 */
export function roleConditions({ keys, without }: RoleStatement): Readonly<Record<string, object>> | undefined {
  if (keys === undefined) return undefined
  return {
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [...new Set(keys)] },
    // Of a request without a key the condition above would be true.
    Null: { 'dynamodb:LeadingKeys': 'false' },
    ...(without === undefined ? {} : { 'ForAllValues:StringNotEquals': { 'dynamodb:Attributes': without } }),
  }
}
