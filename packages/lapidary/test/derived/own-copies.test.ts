import { type DynamoDBClient, QueryCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import {
  anyOf,
  type Change,
  type CopyFilling,
  type CopyFinding,
  type CopyInspection,
  type CopyProjection,
  type CopyState,
  type CopySuspect,
  createLapidary,
  type DerivedOptions,
  defineCollection,
  type Lapidary,
  type SumProjection,
  type TargetKey,
} from 'lapidary'
import { intercepted } from 'lapidary-testing'
import { expect, test, vi } from 'vitest'
import { createTestClient, dropTables, testEngines, uniqueTableName } from '../../../../test/engines/index.ts'
import { PATIENCE } from '../../../../test/engines/patience.ts'
import { COLOURS, notes } from './notes.ts'

const [engine] = testEngines()
if (engine === undefined) throw new Error('there is no engine')
const QUICK = { idleMs: 20 } as const
const SECRET = 'a secret of the tests'
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** A client of which all that is sent is told. */
function watched(told: Parameters<typeof intercepted<DynamoDBClient>>[1]): DynamoDBClient {
  const client = createTestClient(engine as never)
  return Object.assign(intercepted<DynamoDBClient>(client, told), { config: client.config })
}

/** Other items, in the same table. */
const others = defineCollection({
  ...{ name: 'OTHER', schema: notes.schema, id: 'id', order: { attribute: 'place', type: 'number' } },
  scope: { name: 'BOX', attribute: 'box' },
  facets: { colour: anyOf(COLOURS) },
})

interface Opened {
  readonly lapidary: Lapidary<{ notes: typeof notes; others: typeof others }>
  /** Reads of the whole table. */
  readonly scans: () => number
  open(derived: DerivedOptions): Lapidary<{ notes: typeof notes; others: typeof others }>
}

/** A table of three notes that were there before what is derived of them. */
async function withNotes(derived: DerivedOptions, use: (opened: Opened) => Promise<void>): Promise<void> {
  let scans = 0
  const client = watched((command, send) => {
    if (command instanceof ScanCommand && command.input.ExclusiveStartKey === undefined) scans += 1
    return send(command)
  })
  const tableName = uniqueTableName()
  const open = (of: DerivedOptions) =>
    createLapidary({
      ...{ client, tableName, collections: { notes, others }, cursorSecret: SECRET },
      ...{ derived: of, stream: { immediate: true } },
    })
  const before = open({})
  await before.table.create()
  for (const id of ['1', '2', '3'])
    await before.notes.create({ id, box: 'a', kind: 'done', colour: 'red', place: Number(id), text: 'new' })
  await before.derived.rebuild(undefined, QUICK)
  try {
    await use({ lapidary: open(derived), scans: () => scans, open })
  } finally {
    await dropTables(client, [tableName])
  }
}

const isNote = ({ PK, SK }: TargetKey): boolean => PK.startsWith('NOTE#') && SK === '~'
const copy = (more: Partial<CopyProjection> = {}): CopyProjection => ({
  ...{ name: 'texts', collection: 'NOTE', isItem: isNote, apply: async () => {} },
  ...more,
})
const nothingFilled = async (): Promise<CopyFilling> => ({ take: () => true, async flush() {}, async finish() {} })
const stateOf = async ({ derived }: Pick<Opened['lapidary'], 'derived'>, name = 'texts') =>
  (await derived.states()).find((each) => each.name === name)?.state

test('a copy may be a class, whose functions know what they are of', () => {
  class Texts implements CopyProjection {
    readonly name = 'texts'
    readonly collection = 'NOTE'
    readonly prefix = 'NOTE#'
    readonly seen = new Set<string>()
    isItem({ PK, SK }: TargetKey): boolean {
      return PK.startsWith(this.prefix) && SK === '~'
    }
    async apply(changes: readonly Change[]): Promise<void> {
      for (const { key } of changes) this.seen.add(key.PK)
    }
  }
  const texts = new Texts()
  return withNotes({ counts: true, projections: [texts] }, async ({ lapidary }) => {
    const errors: unknown[] = []
    await using _poller = await lapidary.stream.start({ ...QUICK, onError: (error) => void errors.push(error) })
    await lapidary.notes.create({ id: '4', box: 'a', kind: 'done', colour: 'red', place: 4, text: 'new' })
    await vi.waitFor(() => expect([...texts.seen]).toContain('NOTE#4'), PATIENCE)
    expect(errors.map(String)).toEqual([])
    expect([...texts.seen]).toContain('NOTE#4')
  })
})

test('a filling may be a class, whose functions know what they are of', () => {
  class Filling implements CopyFilling {
    readonly taken: string[] = []
    take({ PK }: Parameters<CopyFilling['take']>[0]): boolean {
      this.taken.push(PK?.S ?? '')
      return true
    }
    async flush(): Promise<void> {
      this.taken.sort()
    }
    async finish(): Promise<void> {
      this.taken.push('finished')
    }
  }
  const filling = new Filling()
  return withNotes({ projections: [copy({ fill: async () => filling })] }, async ({ lapidary }) => {
    expect(await lapidary.derived.rebuild('texts')).toMatchObject({ items: 3 })
    expect(filling.taken).toEqual(['NOTE#1', 'NOTE#2', 'NOTE#3', 'finished'])
  })
})

test('a store that is filled from an export is not read for again and again until it says that it is full', () =>
  withNotes(
    { projections: [copy({ apart: 'cache', state: async () => 'absent' as CopyState })] },
    async ({ lapidary, scans }) => {
      await using _poller = await lapidary.stream.start(QUICK)
      await pause(3_000)
      const before = scans()
      await pause(6_000)
      expect(scans() - before).toBeLessThanOrEqual(2)
    },
  ))

test('a copy in the table that says itself that it is ready is made where the register does not say so', () => {
  let fills = 0
  const fill = async () => {
    fills += 1
    return nothingFilled()
  }
  return withNotes({ projections: [copy({ fill, state: async () => 'ready' as CopyState })] }, async ({ lapidary }) => {
    await using _poller = await lapidary.stream.start(QUICK)
    await vi.waitFor(async () => expect(await stateOf(lapidary)).toBe('ready'), PATIENCE)
    expect([await stateOf(lapidary), fills]).toEqual(['ready', 1])
  })
})

test('a rebuild of a copy that no rebuild makes is refused', () =>
  withNotes({ projections: [copy()] }, async ({ lapidary }) => {
    await expect(lapidary.derived.rebuild('texts', QUICK)).rejects.toMatchObject({ code: 'unprocessable' })
  }))

const sum = (name: string): SumProjection => ({
  ...{ name, collection: 'NOTE', dated: false, isItem: isNote },
  contributions: ({ box }) => [{ target: { PK: `~${name}#NOTE#${box?.S}`, SK: '~' }, amounts: { count: 1 } }],
  owns: ({ PK }) => PK.startsWith(`~${name}#NOTE#`),
  entryOf: (_, { count = 0 }) => (count === 0 ? undefined : { count: { N: String(count) } }),
  amountsOf: ({ count }) => ({ count: Number(count?.N ?? 0) }),
})
const isOther = ({ PK, SK }: TargetKey): boolean => PK.startsWith('OTHER#') && SK === '~'
const NOTHING: CopyInspection = { see() {}, suspects: async () => [], look: async () => [], settle: async () => 0 }

test.each([
  ['is compared', { inspect: async () => NOTHING }],
  ['is filled', { fill: nothingFilled }],
])('a rebuild makes a sum, though a copy of another collection that %s has the same name', (_, how) =>
  withNotes(
    { projections: [sum('mine'), copy({ name: 'mine', collection: 'OTHER', isItem: isOther, ...how })] },
    async ({ lapidary }) => {
      await lapidary.derived.rebuild('mine', QUICK)
      const states = (await lapidary.derived.states()).filter(({ name }) => name === 'mine')
      const { differences } = await lapidary.derived.verify(QUICK)
      expect([states.map(({ collection, state }) => [collection, state]).sort(), differences]).toEqual([
        [
          ['NOTE', 'ready'],
          ['OTHER', 'ready'],
        ],
        [],
      ])
    },
  ),
)

interface TextFinding extends CopyFinding {
  /** What the item says. */
  readonly text: string | undefined
}

test('a rebuild by an inspection mends by what a look has found, and is not ready before', () => {
  const texts = new Map<string, string>()
  const seen = new Map<string, string>()
  const inspection: CopyInspection<CopySuspect, TextFinding> = {
    see({ PK, SK, text }) {
      const key = { PK: PK?.S ?? '', SK: SK?.S ?? '' }
      if (isNote(key)) seen.set(key.PK, text?.S ?? '')
    },
    suspects: async () =>
      [...seen.keys()].filter((id) => texts.get(id) !== seen.get(id)).map((id) => ({ id, item: { PK: id, SK: '~' } })),
    look: async (suspects) =>
      suspects
        .filter(({ id }) => texts.get(id) !== seen.get(id))
        .map((suspect) => ({ suspect, text: seen.get(suspect.id), differences: [] })),
    async settle({ suspect, text }) {
      if (text === undefined) texts.delete(suspect.id)
      else texts.set(suspect.id, text)
      return 1
    },
  }
  return withNotes({ projections: [copy({ inspect: async () => inspection })] }, async ({ lapidary }) => {
    await lapidary.derived.rebuild('texts', QUICK)
    expect([await stateOf(lapidary), texts.size]).toEqual(['ready', 3])
  })
})

/** An inspection that finds one item to differ at every look. */
function differing(): CopyInspection {
  const suspect: CopySuspect = { id: 'NOTE#1', item: { PK: 'NOTE#1', SK: '~' } }
  const difference = {
    kind: 'missing',
    projection: 'texts',
    collection: 'NOTE',
    target: suspect.item,
    name: 'text',
  } as const
  return {
    ...NOTHING,
    suspects: async () => [suspect],
    look: async () => [{ suspect, differences: [{ ...difference, expected: 'new', actual: null }] }],
  }
}

test.each(['absent', 'filling'] as const)('a copy apart that says that it is %s is not compared', (state) => {
  const own = copy({ apart: 'cache', state: async () => state as CopyState, inspect: async () => differing() })
  return withNotes({ projections: [own] }, async ({ lapidary }) => {
    const found = await lapidary.derived.verify(QUICK)
    expect([found.differences, found.notVerified]).toEqual([
      [],
      [{ projection: 'texts', collection: 'NOTE', reason: state }],
    ])
  })
})

test('a copy in the table that the register has as filling is not compared', () => {
  const own = copy({ inspect: async () => differing(), fill: nothingFilled })
  return withNotes({ projections: [own] }, async ({ lapidary }) => {
    const poller = await lapidary.stream.start({ ...QUICK, fill: false })
    await vi.waitFor(async () => expect(await stateOf(lapidary)).toBe('filling'))
    await lapidary.notes.patch('1', { text: 'old' })
    await vi.waitFor(async () => expect((await lapidary.derived.verify(QUICK)).pending).toBe(0))
    await poller.close()
    const found = await lapidary.derived.verify(QUICK)
    expect([found.differences, found.notVerified]).toEqual([
      [],
      [{ projection: 'texts', collection: 'NOTE', reason: 'filling' }],
    ])
  })
})

test('a rebuild of a copy is told of by its name and its owner to another process', () => {
  let isBegun = false
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const fill = async (): Promise<CopyFilling> => ({
    take: () => true,
    flush: async () => {
      isBegun = true
      await ended
    },
    finish: async () => {},
  })
  return withNotes({ projections: [copy({ fill })] }, async ({ lapidary, open }) => {
    const first = lapidary.derived.rebuild('texts', { owner: 'the first', ...QUICK })
    await vi.waitFor(() => expect(isBegun).toBe(true))
    const second = open({ projections: [copy({ fill })] }).derived.rebuild('texts', { owner: 'the second', ...QUICK })
    const error = await second.catch((each: unknown) => each)
    end()
    await first
    expect(error).toMatchObject({ code: 'unavailable', details: { holder: 'the first' } })
    expect(String(error)).not.toContain('page index')
  })
})

test('names by which differences are told are the library’s', () => {
  expect(() =>
    createLapidary({
      ...{ client: createTestClient(engine as never), tableName: 'none', collections: { notes }, cursorSecret: SECRET },
      derived: { projections: [copy({ name: 'keys' })] },
    }),
  ).toThrow()
})

test('a keeper that has nothing to do reads the register once for each look', async () => {
  let reads = 0
  const client = watched((command, send) => {
    const isRegister = command instanceof QueryCommand && JSON.stringify(command.input).includes('~DERIVED')
    if (isRegister) reads += 1
    return send(command)
  })
  const tableName = uniqueTableName()
  const lapidary = createLapidary({
    ...{ client, tableName, collections: { notes }, cursorSecret: SECRET },
    ...{ derived: { counts: true }, stream: { immediate: true } },
  })
  await lapidary.table.create()
  try {
    // Follows nothing, so that only the keeper reads.
    await using _poller = await lapidary.stream.start(QUICK)
    await pause(7_000)
    const before = reads
    await pause(15_500)
    expect(reads - before).toBeLessThanOrEqual(4)
  } finally {
    await dropTables(client, [tableName])
  }
})
