import { DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import type { Difference, Poller, Projection } from 'lapidary'
import { chosenSeed, seededRandom } from 'lapidary-testing'
import { describe, expect, test, vi } from 'vitest'
import { testEngines } from '../../../../test/engines/index.ts'
import { PATIENCE } from '../../../../test/engines/patience.ts'
import type { DerivedData } from '../../src/recount/maintenance-options.ts'
import { rebuild, repair } from '../../src/recount/mend.ts'
import { verify } from '../../src/recount/verify.ts'
import { listDeadLetters } from '../../src/stream/dead-letters.ts'
import { countsPartition, placesPartition } from '../derived-keys.ts'
import { derivedItemsOf } from './derived-oracle.ts'
import { notes } from './notes.ts'
import { type NotesSetting, openNotes, writeNotes } from './notes-setting.ts'

const [engine] = testEngines()
if (engine === undefined) throw new Error('there is no engine')
const seed = chosenSeed(process.env.DERIVED_SEED)
console.info(`DERIVED_SEED=${seed}`)

/** Waits until everything that was written is counted. */
async function counted({ derived, options }: NotesSetting, of: DerivedData = derived): Promise<void> {
  while ((await verify(of, options)).pending > 0) await new Promise((resolve) => setTimeout(resolve, 50))
}

async function expectTrue(setting: NotesSetting): Promise<void> {
  const weights = await setting.weights()
  const expected = derivedItemsOf(await setting.stored(), (id) => weights.get(id) ?? 0)
  expect(await setting.held()).toEqual(expected)
}

const named =
  (...names: readonly string[]) =>
  ({ name }: Projection): boolean =>
    names.includes(name)

/** What was done to each key. */
type Spoilt = Map<string, 'missing' | 'wrong' | 'dangling'>

/** Deletes some derived items of each kind, alters some, and puts some where none should be. */
async function spoil(setting: NotesSetting, random: () => number): Promise<Spoilt> {
  const { client, tableName: TableName } = setting
  const spoilt: Spoilt = new Map()
  for (const [key, { rev, asOf, ...entry }] of await setting.entries()) {
    const { PK, SK } = entry
    if (PK === undefined || SK === undefined) continue
    const kept = { ...(rev === undefined ? {} : { rev }), ...(asOf === undefined ? {} : { asOf }) }
    const chance = random()
    if (chance < 0.2) {
      await client.send(new DeleteItemCommand({ TableName, Key: { PK, SK } }))
      spoilt.set(key, 'missing')
    } else if (chance < 0.4) {
      const names = Object.keys(entry).filter((name) => name !== 'PK' && name !== 'SK')
      const name = names[Math.floor(random() * names.length)] ?? ''
      const other = {
        [name]: entry[name]?.N === undefined ? { S: 'by hand' } : { N: String(Number(entry[name]?.N) + 3) },
      }
      await client.send(new PutItemCommand({ TableName, Item: { ...entry, ...other, ...kept } }))
      spoilt.set(key, 'wrong')
    }
  }
  for (const [PK, SK, entry] of DANGLING) {
    await client.send(new PutItemCommand({ TableName, Item: { PK: { S: PK }, SK: { S: SK }, ...entry } }))
    spoilt.set(`${PK} ${SK}`, 'dangling')
  }
  return spoilt
}

const DANGLING = [
  [countsPartition(notes, 'gone'), '~', { count_red: { N: '2' } }],
  [placesPartition(notes, 'full', 'gone'), 'full', { count: { N: '2' } }],
  [placesPartition(notes, 'full', 'a'), 'undeclared', { k: { S: 'x' }, s: { S: 'y' } }],
  ['~duplicates#NOTE#gone', 'red', { box: { S: 'a' } }],
  ['~ranges#NOTE#a', '99', {}],
] as const

function told(differences: readonly Difference[]): Spoilt {
  return new Map(differences.map(({ kind, target }) => [`${target.PK} ${target.SK}`, kind]))
}

describe('counts, leaderboards, duplicates and ranges', () => {
  test('are what the notes say once the runner has counted, whatever was written', async () => {
    await using setting = await openNotes(engine)
    for (let round = 0; round < 3; round++) {
      {
        await using _poller = setting.poller()
        await writeNotes(setting.notes, seededRandom(seed + round), 60, `r${round}-`)
        await counted(setting)
      }
      await expectTrue(setting)
    }
  })

  test('are verified: what was spoilt is told, and nothing else', async () => {
    await using setting = await openNotes(engine)
    await using _poller = setting.poller()
    await writeNotes(setting.notes, seededRandom(seed), 80, 'n')
    await counted(setting)
    const spoilt = await spoil(setting, seededRandom(seed + 1))
    const { differences } = await verify(setting.derived, setting.options)
    expect(told(differences)).toEqual(spoilt)
    expect(new Set(differences.map(({ projection }) => projection)).size).toBe(4)
  })

  test('are repaired under load, and in the end are what the notes say', async () => {
    await using setting = await openNotes(engine)
    const random = seededRandom(seed)
    const stop = new AbortController()
    await writeNotes(setting.notes, seededRandom(seed + 1), 50, 'n')
    await using _poller = setting.poller()
    const writing = writeNotes(setting.notes, seededRandom(seed + 2), 100_000, 'live', stop.signal)
    for (let round = 0; round < 3; round++) {
      await spoil(setting, random)
      const mend = round === 1 ? rebuild : repair
      const { mended } = await mend(setting.derived, { ...setting.options, poll: false })
      expect(mended).toBeGreaterThan(0)
      expect((await verify(setting.derived, setting.options)).differences).toEqual([])
    }
    stop.abort()
    await writing
    await counted(setting)
    await expectTrue(setting)
  })

  test('one that is new is filled by a rebuild of its own, while it is counted already', async () => {
    await using setting = await openNotes(engine)
    const known = setting.only('counts', 'leaderboards')
    await writeNotes(setting.notes, seededRandom(seed), 60, 'old')
    {
      await using _before: Poller = setting.poller(known)
      await counted(setting, known)
    }
    // From here on the runner adds to what was never counted: less than nothing, where an old note goes.
    await using _poller = setting.poller()
    const [one, two, ...others] = await setting.stored()
    await setting.notes.delete(one?.id ?? '')
    await setting.notes.patch(two?.id ?? '', { place: (two?.place ?? 0) < 50 ? 99 : 0, text: 'moved' })
    for (const { id } of others.slice(0, 3)) await setting.notes.patch(id, { text: 'changed' })
    const stop = new AbortController()
    const writing = writeNotes(setting.notes, seededRandom(seed + 1), 100_000, 'new', stop.signal)
    for (const name of ['sets', 'ranges']) {
      await rebuild(setting.derived, { ...setting.options, poll: false }, { only: named(name) })
    }
    stop.abort()
    await writing
    await counted(setting)
    expect((await verify(setting.derived, setting.options)).differences).toEqual([])
    await expectTrue(setting)
  })

  test('one that is rebuilt by itself leaves the dead letters, which a repair of all makes good', async () => {
    await using setting = await openNotes(engine)
    for (let place = 0; place < 20; place++) {
      await setting.notes.create({ id: `n${place}`, box: 'a', kind: 'done', colour: 'red', place, text: '' })
    }
    const refusing = setting.derived.projections.map((projection) => ({
      ...projection,
      contributions(): never {
        throw new TypeError('refused')
      },
    }))
    const broken = { ...setting.derived, projections: refusing }
    {
      await using _poller = setting.poller(broken)
      await vi.waitFor(async () => expect(await listDeadLetters(setting.derived.table)).toHaveLength(20), PATIENCE)
    }
    await using _poller = setting.poller()
    const options = { ...setting.options, poll: false }
    const one = await rebuild(setting.derived, options, { only: named('ranges') })
    expect(one).toMatchObject({ deadLettersForgotten: 0, deadLetters: 20 })
    const { differences, deadLettersForgotten } = await repair(setting.derived, options)
    expect(deadLettersForgotten).toBe(20)
    expect(new Set(differences.map(({ projection }) => projection))).toEqual(
      new Set(['counts', 'leaderboards', 'sets']),
    )
    await expectTrue(setting)
  })

  test('a rebuild of one leaves the others alone', async () => {
    await using setting = await openNotes(engine)
    await using _poller = setting.poller()
    await writeNotes(setting.notes, seededRandom(seed), 50, 'n')
    await counted(setting)
    const spoilt = await spoil(setting, seededRandom(seed + 1))
    await rebuild(setting.derived, { ...setting.options, poll: false }, { only: named('leaderboards') })
    const { differences } = await verify(setting.derived, setting.options)
    expect(told(differences)).toEqual(new Map([...spoilt].filter(([key]) => !key.startsWith('~leaders.'))))
  })
})
