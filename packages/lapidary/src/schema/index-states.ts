import type { KeyRule } from '../layouts/key-rule.ts'
import type { CollectionLayout } from '../layouts/layout.ts'
import type { Refusal } from '../layouts/refusal.ts'
import type { Collection } from '../model/collection.ts'
import type { Entry } from '../model/entry.ts'
import { LapidaryError } from '../model/errors.ts'
import type { Order } from '../model/order.ts'
import { ownValue } from '../model/own-value.ts'
import { meaningOf } from '../table/error-meaning.ts'
import { asStep } from '../table/observer.ts'
import type { TableClient } from '../table/table-client.ts'
import { adoptedRegister } from './adopt-register.ts'
import type { Keyed } from './expected-keys.ts'
import {
  changeRegister,
  declaredIndexes,
  type IndexRegister,
  isSameIndex,
  readIndexRegister,
  writeIndexRegister,
} from './index-register.ts'

/** Indexes from which lists may not be read now, each with the reason. */
export type UnusableIndexes = ReadonlyMap<string, Refusal>

/** The indexes and fills that a writer keeps beside what it declares, since the table knows them. */
export interface Kept {
  readonly rules: readonly KeyRule[]
  readonly fills: Entry
  /** Says which index this process can't keep, since it lacks the function of a computed facet; undefined where there is none. */
  readonly unkept?: string | undefined
}

/**
 * Returns the layout by which items are written: with the indexes that the table knows beyond the declaration.
 *
 * @throws {LapidaryError} `table_mismatch` for an index that this process can't keep: its lists would show items wrongly from then on.
 */
export function layoutKeeping(layout: CollectionLayout, { rules, unkept }: Kept): CollectionLayout {
  if (unkept !== undefined) throw new LapidaryError('table_mismatch', unkept)
  return rules.length === 0 ? layout : (layout.keeping?.(rules) ?? layout)
}

/** Tells whether an entry lacks an attribute that it may be filled with. In an order that every item is in, null counts as absent. */
export function isLacking(entry: Entry, name: string, orders: readonly Order[]): boolean {
  const isRequired = orders.some(({ attribute, optional }) => attribute === name && optional !== true)
  const value = ownValue(entry, name)
  return value === undefined || (isRequired && value.NULL === true)
}

/** The states of a collection's indexes, as far as a process knows them. */
export interface IndexStates {
  /**
   * Returns the indexes that can't be read now. It reads the register once, and while an index is filling again every few seconds. Complete is
   * final: it costs no other read.
   */
  unusable(): Promise<UnusableIndexes>
  /** Notes that this process has changed the states. */
  changed(): void
  /** Notes that DynamoDB has no such index, or can't read it yet: plans leave it alone for some seconds. */
  absent(index: string): void
  /**
   * Returns the indexes that this process does not declare and other processes use, and the values that items without a new facet get. They are
   * at most {@link KNOWN_MS} old: a backfill waits until every process that writes knows what it fills.
   */
  kept(): Promise<Kept>
}

/** Milliseconds for which a process that writes goes by what it has read. */
export const KNOWN_MS = 5_000
/** Milliseconds after which every process that writes knows of a registered index, and the writes that began before are over. */
export const KNOWN_EVERYWHERE_MS: number = 3 * KNOWN_MS
const LOOK_AGAIN_MS = 3_000

export const ALL_USABLE: UnusableIndexes = new Map()
export const NOTHING_KEPT: Kept = Object.freeze({ rules: [], fills: {} })

interface View {
  readonly at: number
  readonly unusable: UnusableIndexes
  readonly kept: Kept
}

export function createIndexStates(table: TableClient, keyed: Keyed, clock: () => number): IndexStates {
  const absentUntil = new Map<string, number>()
  let view: View | undefined
  let reading: Promise<View> | undefined
  /** How often this process has changed the states. */
  let changes = 0

  const read = (): Promise<View> => {
    const before = changes
    reading ??= asStep(table, { name: 'register' }, () => readView(table, keyed, clock()))
      .then((made) => {
        // A read that began before a change does not have it.
        if (before === changes) view = made
        return made
      })
      .finally(() => {
        if (before === changes) reading = undefined
      })
    return reading
  }
  const known = async (mostAge: number): Promise<View> =>
    view !== undefined && Math.abs(clock() - view.at) < mostAge ? view : read()

  return {
    async unusable() {
      const { unusable } = view?.unusable.size === 0 ? view : await known(LOOK_AGAIN_MS)
      if (absentUntil.size === 0) return unusable
      const all = new Map(unusable)
      for (const [index, until] of absentUntil) {
        if (until > clock()) all.set(index, { kind: 'absent' })
        else absentUntil.delete(index)
      }
      return all
    },
    changed() {
      changes += 1
      view = undefined
      reading = undefined
    },
    absent: (index) => void absentUntil.set(index, clock() + LOOK_AGAIN_MS),
    kept: async () => (await known(KNOWN_MS)).kept,
  }
}

async function readView(table: TableClient, keyed: Keyed, at: number): Promise<View> {
  try {
    const register = await registerOf(table, keyed, at)
    return { at, unusable: unusableBy(register, keyed), kept: keptBy(register, keyed) }
  } catch (error) {
    // A caller that may only query the indexes can't know; it goes on as every process did before there were states.
    if (meaningOf(error) === 'denied') return { at, unusable: ALL_USABLE, kept: NOTHING_KEPT }
    throw error
  }
}

/** Returns the register with every declared index in it. */
async function registerOf(table: TableClient, keyed: Keyed, now: number): Promise<IndexRegister> {
  const { collection } = keyed
  const found = await readIndexRegister(table, collection)
  const declared = declaredIndexes(collection, keyed.layout)
  const register = found ?? (await adoptedRegister(table, keyed, now))
  const isNew = (name: string): boolean => !Object.hasOwn(register.indexes, name)
  if (found !== undefined && ![...declared.keys()].some(isNew)) return found
  try {
    if (found === undefined) {
      return (await writeIndexRegister(table, collection, 0, register)) ? register : registerOf(table, keyed, now)
    }
    return await changeRegister(table, collection, (current) => withNew(current, declared, now))
  } catch (error) {
    // A process that may only read leaves it to one that writes.
    if (meaningOf(error) === 'denied') return register
    throw error
  }
}

function withNew(register: IndexRegister, declared: ReturnType<typeof declaredIndexes>, since: number): IndexRegister {
  const added = [...declared].filter(([name]) => !Object.hasOwn(register.indexes, name))
  if (added.length === 0) return register
  const filling = added.map(([name, index]) => [name, { ...index, state: 'filling', since, proven: true }] as const)
  return { ...register, indexes: { ...register.indexes, ...Object.fromEntries(filling) } }
}

function unusableBy({ indexes }: IndexRegister, { collection, layout }: Keyed): UnusableIndexes {
  const unusable = new Map<string, Refusal>()
  for (const [name, declared] of declaredIndexes(collection, layout)) {
    const registered = ownValue(indexes, name)
    const isSame = isSameIndex(declared, registered)
    if (isSame && registered?.state === 'ready') continue
    unusable.set(name, { kind: registered !== undefined && !isSame ? 'redeclared' : 'filling' })
  }
  return unusable.size === 0 ? ALL_USABLE : unusable
}

function keptBy({ indexes, fills }: IndexRegister, { collection, layout }: Keyed): Kept {
  const declared = declaredIndexes(collection, layout)
  const rules = Object.entries(indexes).flatMap(([name, { digest, rule }]) =>
    rule === undefined || declared.get(name)?.digest === digest ? [] : [rule],
  )
  if (rules.length === 0 && Object.keys(fills).length === 0) return NOTHING_KEPT
  return {
    rules,
    fills,
    unkept: rules.map((rule) => unkeptBy(rule, collection)).find((reason) => reason !== undefined),
  }
}

function unkeptBy({ index, computed = {} }: KeyRule, { name: collection, facets }: Collection): string | undefined {
  const lacking = Object.values(computed).find(({ facet, version }) => {
    const origin = ownValue(facets, facet)?.origin
    return origin === undefined || !('of' in origin) || origin.version !== version
  })
  if (lacking === undefined) return undefined
  const { facet, version } = lacking
  return `the table's index ${index} is on the facet ${facet} of ${collection}, made by a function of version ${version} that this process does not declare, so it can't write items; declare ${facet} with that function, or delete the index and run a backfill`
}
