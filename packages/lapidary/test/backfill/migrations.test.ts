import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'
import {
  type CollectionClient,
  createLapidary,
  type Facets,
  type Item,
  type Lapidary,
  LapidaryError,
  type QueryInput,
  type WhereInput,
} from 'lapidary'
import { type CaseCollection, createOracle, seededRandom } from 'lapidary-testing'
import { test } from 'vitest'
import {
  createTestClient,
  dropTables,
  type TestEngine,
  testEngines,
  uniqueTableName,
} from '../../../../test/engines/index.ts'
import { ownValue } from '../../src/model/own-value.ts'
import { isRange } from '../../src/model/value-range.ts'
import { createIndexes, deleteIndex } from './create-indexes.ts'
import {
  declaredAfter,
  declaredBefore,
  declaredInAll,
  hasSeveral,
  type MigrationCase,
  migrationCase,
} from './migration-case.ts'

/** `MIGRATIONS=1000 npx vitest run …` for as many pairs of declarations; `FC_SEED` repeats a run. */
const PAIRS = Number(process.env.MIGRATIONS ?? 60)
/** Each waits on its engine most of the time. */
const AT_ONCE = 3
const FIRST_ITEMS = 12
const SCOPES = ['42', '42/en', '4']

type Things = CollectionClient<Item, Facets>
type Process = Lapidary<{ things: CaseCollection }>

test(`${PAIRS} pairs of declarations become one another under writes and reads: no wrong page, no lost item`, async () => {
  const [engine] = testEngines()
  const seed = Number(process.env.FC_SEED)
  const runs = Array.from({ length: AT_ONCE }, async (_, i) => {
    const client = createTestClient(engine as TestEngine)
    const property = fc.asyncProperty(migrationCase(), (made) => migrate(client, made))
    try {
      await fc.assert(property, { numRuns: Math.ceil(PAIRS / AT_ONCE), seed: seed + i, endOnFailure: true })
    } finally {
      client.destroy()
    }
  })
  await Promise.all(runs)
}, 3_000_000)

async function migrate(client: DynamoDBClient, made: MigrationCase): Promise<void> {
  const tableName = uniqueTableName()
  let ahead = 0
  const clock = (): number => Date.now() + ahead
  const process = (collection: CaseCollection): Process =>
    createLapidary({
      ...{ client, tableName, collections: { things: collection }, clock, maxSources: 32 },
      cursorSecret: 'a secret of the tests',
    })
  const before = process(declaredBefore(made))
  await before.table.create()
  try {
    const after = process(declaredAfter(made))
    const world = new World(made, before, after)
    for (let i = 0; i < FIRST_ITEMS; i++) await world.create(before.things)
    await world.check('before')

    await createIndexes(client, after.table)
    await world.check('before')
    const { added } = made
    const { values: given = [] } = made.made.facets[added ?? ''] ?? {}
    // To lack an optional facet is right.
    const value = given.includes(null) || hasSeveral(made.made, added) ? undefined : given[0]
    const fill = added === undefined || value === undefined ? {} : { fill: { [added]: value } }
    let isDone = false
    const filling = after.table.backfill({ ...fill, segments: 1 }).finally(() => {
      isDone = true
    })
    filling.catch(() => undefined)
    for (let step = 0; !isDone || step < 6; step++) {
      await world.write()
      await world.check('filling')
      // No write is under way, so nothing is when the time is over that writers go by what they know.
      if (step % 6 === 3) ahead += 20_000
      if (step > 20) await sleep(5)
    }
    const result = await filling
    assert.ok(result.complete, `not complete: ${JSON.stringify(result)}`)
    world.fill(added, value)
    await world.check('ready')
    for (let i = 0; i < 6; i++) await world.write()
    // The states that this process has read are now too old to go by.
    ahead += 20_000
    await world.check('ready')
    await assertKeys(after, 'with both kinds of processes')

    world.stopOld()
    for (const name of undeclared(before, after)) await deleteIndex(client, tableName, name)
    await after.table.backfill({ segments: 1 })
    for (let i = 0; i < 6; i++) await world.write()
    await world.check('alone')
    await assertKeys(after, 'without the old process')
    await world.assertNoneLost()
  } finally {
    await dropTables(client, [tableName]).catch(() => undefined)
  }
}

function undeclared(before: Process, after: Process): readonly string[] {
  const kept = after.table.definition().indexes.map(({ name }) => name)
  return before.table
    .definition()
    .indexes.map(({ name }) => name)
    .filter((name) => !kept.includes(name))
}

/** Each index is in use, and no item lacks a key or has one too many. */
async function assertKeys(after: Process, when: string): Promise<void> {
  const states = await after.table.indexStates()
  const declared = states.filter((state) => state.declared)
  assert.ok(
    declared.every(({ state }) => state === 'ready'),
    `${when}: ${JSON.stringify(states)}`,
  )
  const { collections } = await after.table.backfill({ dryRun: true, segments: 1 })
  assert.deepEqual(
    collections.map(({ written, unfit }) => ({ written, unfit })),
    [{ written: 0, unfit: {} }],
    when,
  )
}

type Phase = 'before' | 'filling' | 'ready' | 'alone'

/** The items as they should be, and what the processes do to them and ask of them. */
class World {
  readonly #made: MigrationCase
  readonly #old: Process
  readonly #new: Process
  readonly #oracle
  readonly #random: () => number
  readonly #left: Item[]
  #queries = 0
  #hasOld = true

  constructor(made: MigrationCase, before: Process, after: Process) {
    this.#made = made
    this.#old = before
    this.#new = after
    this.#oracle = createOracle<Item>(declaredInAll(made))
    this.#random = seededRandom(made.seed)
    this.#left = [...made.items]
  }

  stopOld(): void {
    this.#hasOld = false
  }

  /** Notes the backfill of items without a facet. */
  fill(facet: string | undefined, value: unknown): void {
    if (facet === undefined || value === undefined) return
    for (const item of this.#items())
      if (ownValue(item, facet) === undefined) this.#oracle.put({ ...item, [facet]: value })
  }

  async write(): Promise<void> {
    const { things } = this.#hasOld && this.#random() < 0.5 ? this.#old : this.#new
    const items = this.#items()
    const item = items[Math.floor(this.#random() * items.length)]
    const kind = this.#random()
    if (item === undefined || kind < 0.4) return this.create(things)
    const id = String(item.id)
    if (kind < 0.55) {
      await things.delete(id)
      this.#oracle.delete(id)
      return
    }
    const change = this.#made.changes[Math.floor(this.#random() * this.#made.changes.length)] ?? {}
    try {
      await things.patch(id, this.#as(things, change))
    } catch (error) {
      // An item without the new facet can't be changed by who requires it, before it is known what it gets.
      const lacksFacet = this.#made.added !== undefined && ownValue(item, this.#made.added) === undefined
      if (lacksFacet && error instanceof LapidaryError && error.code === 'unprocessable') return
      throw error
    }
    this.#oracle.put(await this.#new.things.get(id))
  }

  async create(things: Things): Promise<void> {
    const item = this.#left.pop()
    if (item === undefined) return
    const { widened } = this.#made
    const sent = this.#as(things, widened === undefined ? item : { [widened]: null, ...item })
    await things.create(sent)
    const stored = await this.#new.things.get(String(item.id))
    // The new facet may be filled by what the table knows.
    assert.deepEqual({ ...stored, ...sent }, stored)
    this.#oracle.put(stored)
  }

  /** The old process does not know the new facet; a new value comes into use when each process knows it. */
  #as(things: Things, item: Item): Item {
    const { added, widened, made } = this.#made
    const isOld = things === this.#old.things
    const known = Object.entries(item).filter(([name]) => name !== added || !isOld)
    const values = widened === undefined ? undefined : made.facets[widened]?.values
    const last = values?.at(-1)
    return Object.fromEntries(
      known.map(([name, value]) => [name, name === widened && value === last && this.#hasOld ? values?.[0] : value]),
    )
  }

  /** Every page of a few queries is the oracle's, in both processes. */
  async check(phase: Phase): Promise<void> {
    const { queries, added, dropped, widened, ranked } = this.#made
    for (let i = 0; i < (phase === 'filling' ? 1 : queries.length); i++) {
      const drawn = queries[this.#queries++ % queries.length] as QueryInput
      // The backfill has filled an item or not, as far as it has come.
      const isOpen = phase === 'filling' && added !== undefined && asksOf(drawn.where ?? {}, added)
      if (!isOpen)
        await this.#assertPages(this.#new.things, inOrder(without(drawn, [dropped]), ranked.after), phase).catch(
          this.#mayNotList(phase, drawn),
        )
      if (this.#hasOld) {
        const known = without(drawn, [added, this.#asksNew(drawn) ? widened : undefined])
        await this.#assertPages(this.#old.things, inOrder(known, ranked.before), phase)
      }
    }
  }

  /** Whether a query names a value that the old process does not know, or a range, which to that one is of the values that it knows. */
  #asksNew({ where = {} }: QueryInput): boolean {
    const { widened = '', made } = this.#made
    const asked = Object.hasOwn(where, widened) ? [where[widened]].flat() : []
    const added = made.facets[widened]?.values?.at(-1)
    const isCombined = Object.entries(where).some(
      ([name, filters]) => name !== widened && asksOf({ [name]: filters }, widened),
    )
    return isCombined || asked.some((value) => isRange(value ?? null) || value === added)
  }

  /** Allows a list to fail where all indexes of a declaration, or of an order, are new: it says so until they are complete. */
  #mayNotList(phase: Phase, { by }: QueryInput): (error: unknown) => void {
    const { added, made, ranked } = this.#made
    return (error) => {
      const isNew = (made.shortNames && added !== undefined) || (by !== undefined && !ranked.before)
      if (
        isNew &&
        (phase === 'before' || phase === 'filling') &&
        error instanceof LapidaryError &&
        error.code === 'table_mismatch'
      )
        return
      throw error
    }
  }

  async #assertPages(things: Things, query: QueryInput, phase: Phase): Promise<void> {
    const expected = this.#oracle.matching(query).map(({ id }) => id)
    const found: unknown[] = []
    let cursor: string | undefined
    let text = ''
    do {
      const page = await things.list({ ...query, cursor } as Parameters<Things['list']>[0])
      found.push(...page.items.map(({ id }) => id))
      cursor = page.cursors.next ?? undefined
      text = page.plan.text
    } while (cursor !== undefined && found.length <= expected.length)
    const who = things === this.#old.things ? 'old' : 'new'
    assert.deepEqual(found, expected, `${phase}, the ${who} process, ${text}, ${JSON.stringify(query)}`)
  }

  async assertNoneLost(): Promise<void> {
    for (const item of this.#items()) assert.deepEqual(await this.#new.things.get(String(item.id)), item)
    for (const scope of SCOPES) await this.#assertPages(this.#new.things, { scope, limit: 100 }, 'alone')
  }

  #items(): readonly Item[] {
    return SCOPES.flatMap((scope) => this.#oracle.matching({ scope }))
  }
}

/** To a declaration that does not have the order, it is no question. */
function inOrder(query: QueryInput, isRanked: boolean): QueryInput {
  const { by, from: _, to: __, ...rest } = query
  if (by !== undefined && !isRanked) return rest
  return query
}

function without(query: QueryInput, facets: readonly (string | undefined)[]): QueryInput {
  const where = Object.entries(query.where ?? {}).filter(
    ([name, asked]) => !facets.some((facet) => facet !== undefined && asksOf({ [name]: asked }, facet)),
  )
  return { ...query, where: Object.fromEntries(where) }
}

/** Tells whether a filter asks of a facet, also in what it combines. */
function asksOf(where: WhereInput, facet: string): boolean {
  return Object.entries(where).some(([name, asked]) =>
    ['AND', 'OR', 'NOT'].includes(name)
      ? [asked as WhereInput | readonly WhereInput[]].flat().some((filter) => asksOf(filter, facet))
      : name === facet,
  )
}
