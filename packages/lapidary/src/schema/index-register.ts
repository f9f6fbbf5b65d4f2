import { type AttributeValue, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { type KeyRule, ruleDigest } from '../layouts/key-rule.ts'
import type { CollectionLayout } from '../layouts/layout.ts'
import type { Collection } from '../model/collection.ts'
import type { Entry } from '../model/entry.ts'
import { LapidaryError } from '../model/errors.ts'
import { WHOLE } from '../model/reserved-keys.ts'
import { meaningOf } from '../table/error-meaning.ts'
import { readEntry } from '../table/read-entries.ts'
import type { TableClient } from '../table/table-client.ts'

/** One index of a collection, as the table remembers it. */
export interface RegisteredIndex {
  /** The digest of the rule by which its keys are made: another rule makes another index. */
  readonly digest: string
  /** `ready`: every item has its keys, and every process that writes keeps them. */
  readonly state: 'filling' | 'ready'
  /** The time at which the register got it under this digest, in milliseconds since 1970. */
  readonly since: number
  /** Whether every item was checked, and not only some. */
  readonly proven: boolean
  /** The attributes that it projects; undefined for all. Its lists lack what a declaration shows beyond them. */
  readonly include: readonly string[] | undefined
  /** The rule by which any process can keep its keys; undefined where a layout has none. */
  readonly rule: KeyRule | undefined
}

/** The register of a collection's indexes in the table: one item, which a process that lists reads once. */
export interface IndexRegister {
  /** The number of writes of the register. */
  readonly revision: number
  readonly indexes: Readonly<Record<string, RegisteredIndex>>
  /** The value that a new facet is filled with where an item lacks it, by stored name: by a backfill, and by writers that do not know the facet. */
  readonly fills: Entry
}

export const NO_REGISTER: IndexRegister = Object.freeze({ revision: 0, indexes: {}, fills: {} })

const MOST_TRIES = 10

function registerKey({ name }: Collection): Record<string, AttributeValue> {
  return { PK: { S: `~INDEXES#${name}` }, SK: { S: WHOLE } }
}

/** The declared part of an index. */
export type DeclaredIndex = Pick<RegisteredIndex, 'digest' | 'rule' | 'include'>

/** Tells whether lists of a declared index can be read from the table's index of that name. */
export function isSameIndex(declared: DeclaredIndex, registered: DeclaredIndex | undefined): boolean {
  return declared.digest === registered?.digest && projects(registered.include, declared.include)
}

/** Tells whether an index that projects the first attributes shows the second; undefined for all. */
export function projects(included: readonly string[] | undefined, shown: readonly string[] | undefined): boolean {
  return included === undefined || (shown?.every((name) => included.includes(name)) ?? false)
}

/** Returns the declared indexes with the digest of each. */
export function declaredIndexes(
  collection: Collection,
  { indexes, keyRules }: CollectionLayout,
): ReadonlyMap<string, DeclaredIndex> {
  return new Map(
    indexes.map(({ name, keys, include, holds }) => {
      const rule = keyRules?.find(({ index }) => index === name)
      return [name, { digest: ruleDigest(rule ?? { collection: collection.name, name, keys, holds }), rule, include }]
    }),
  )
}

/** Reads the register consistently, for 1 RCU. Undefined where the table has none: a table of an earlier version, or one that was just made. */
export async function readIndexRegister(
  table: TableClient,
  collection: Collection,
): Promise<IndexRegister | undefined> {
  const entry = await readEntry(table, registerKey(collection))
  return entry === undefined ? undefined : registerFrom(entry)
}

/**
 * Changes the register as one step, even while other processes change it. A change that returns the same register writes nothing.
 *
 * @returns The register as it is afterwards.
 */
export async function changeRegister(
  table: TableClient,
  collection: Collection,
  change: (register: IndexRegister) => IndexRegister,
): Promise<IndexRegister> {
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    const found = (await readIndexRegister(table, collection)) ?? NO_REGISTER
    const changed = change(found)
    if (changed === found || (await writeIndexRegister(table, collection, found.revision, changed))) return changed
  }
  throw new LapidaryError(
    'unavailable',
    `other processes kept changing the index states of ${collection.name}; try again`,
  )
}

/** Writes the register; returns false where another process came first. */
export async function writeIndexRegister(
  table: TableClient,
  collection: Collection,
  revision: number,
  register: Omit<IndexRegister, 'revision'>,
): Promise<boolean> {
  const indexes = Object.entries(register.indexes).map(([name, index]) => [name, { M: indexEntry(index) }])
  const Item: Entry = {
    ...registerKey(collection),
    revision: { N: String(revision + 1) },
    indexes: { M: Object.fromEntries(indexes) },
    fills: { M: register.fills as Record<string, AttributeValue> },
  }
  try {
    await table.send(
      new PutItemCommand({
        TableName: table.tableName,
        Item: { ...Item },
        ConditionExpression: revision === 0 ? 'attribute_not_exists(PK)' : 'revision = :revision',
        ...(revision === 0 ? {} : { ExpressionAttributeValues: { ':revision': { N: String(revision) } } }),
      }),
    )
    return true
  } catch (error) {
    if (meaningOf(error) === 'condition') return false
    throw error
  }
}

function indexEntry({ digest, state, since, proven, include, rule }: RegisteredIndex): Record<string, AttributeValue> {
  return {
    digest: { S: digest },
    state: { S: state },
    since: { N: String(since) },
    proven: { BOOL: proven },
    ...(include === undefined ? {} : { include: { L: include.map((name) => ({ S: name })) } }),
    ...(rule === undefined ? {} : { rule: { S: JSON.stringify(rule) } }),
  }
}

function registerFrom(entry: Entry): IndexRegister {
  const indexes = Object.entries(entry.indexes?.M ?? {}).map(([name, { M = {} }]): [string, RegisteredIndex] => [
    name,
    {
      digest: M.digest?.S ?? '',
      state: M.state?.S === 'ready' ? 'ready' : 'filling',
      since: Number(M.since?.N ?? 0),
      proven: M.proven?.BOOL === true,
      include: M.include?.L?.map(({ S = '' }) => S),
      rule: M.rule?.S === undefined ? undefined : (JSON.parse(M.rule.S) as KeyRule),
    },
  ])
  return { revision: Number(entry.revision?.N ?? 0), indexes: Object.fromEntries(indexes), fills: entry.fills?.M ?? {} }
}
