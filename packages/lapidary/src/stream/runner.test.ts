import { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { expect, test, vi } from 'vitest'
import { countsKey, itemKey, values } from '../../test/memory-items/counted-table.ts'
import { type MemoryItemsOptions, memoryItems } from '../../test/memory-items/memory-items.ts'
import type { Change } from '../derived/change.ts'
import type { CopyProjection } from '../derived/copy-projection.ts'
import { keyEntry } from '../derived/guarded-write.ts'
import type { Projection } from '../derived/projection.ts'
import { REGISTER_KEY } from '../derived/register/derived-register.ts'
import type { Kept } from '../derived/register/kept-shapes.ts'
import type { Entry } from '../model/entry.ts'
import { LapidaryError } from '../model/errors.ts'
import {
  type Checkpoint,
  checkpointKey,
  checkpointOf,
  endShard,
  readCheckpoint,
  requireRevision,
} from './checkpoint.ts'
import { isOutdated } from './counting.ts'
import { type DeadLetter, listDeadLetters } from './dead-letters.ts'
import { GivenLane } from './given-lane.ts'
import { createRunner, type RunnerOptions } from './runner.ts'

const image = (v: string): Entry => ({ v: { S: v }, scope: { S: 'a' } })
const change = (sequence: number, before: string | undefined, after: string | undefined, id = '1'): Change => ({
  ...{ key: itemKey(id), sequenceNumber: String(sequence), at: 1_000 },
  before: before === undefined ? undefined : image(before),
  after: after === undefined ? undefined : image(after),
})

function running(held: Entry = {}, given: Partial<RunnerOptions> = {}, options: MemoryItemsOptions = {}) {
  const items = memoryItems(options)
  items.put({ ...keyEntry(checkpointKey('s', given.follower)), ...held })
  const told: DeadLetter[] = []
  const onDeadLetter = (letter: DeadLetter): void => void told.push(letter)
  const runner = createRunner({ table: items, projections: [values], onDeadLetter, ...given })
  const moved: Checkpoint[] = []
  const onMoved = async (checkpoint: Checkpoint) => void moved.push(checkpoint)
  const lane = (from?: string, owner?: string, by = runner): GivenLane =>
    new GivenLane({ runner: by, shardId: 's', owner, sequenceNumber: from, onMoved })
  const counts = () => values.amountsOf(items.get(countsKey('a')) ?? {})
  return { items, runner, lane, counts, told, moved }
}
const NEW = { owner: undefined, sequenceNumber: undefined }
const transactions = ({ items }: ReturnType<typeof running>): number =>
  items.sent.filter(({ name }) => name === 'TransactWriteItems').length
const copyThat = (refuses: boolean, given: Change[] = []): CopyProjection => ({
  ...{ name: 'cache', collection: 'X', isItem: ({ PK }) => PK.startsWith('X#') },
  async apply(changes) {
    given.push(...changes)
    if (refuses) throw new LapidaryError('unprocessable', 'not taken')
  },
})

test('changes are counted once, and the lane goes on from the last of them', async () => {
  const { lane, counts, items } = running()
  const mine = lane()
  await mine.count([change(1, undefined, 'q'), change(2, 'q', 'r'), change(2, 'q', 'r')])
  await mine.count([change(2, 'q', 'r')])
  expect([counts(), mine.sequenceNumber]).toEqual([{ count_r: 1 }, '2'])
  // As told again by a Lambda that began anew.
  await lane('2').count([change(1, undefined, 'q')])
  expect(counts()).toEqual({ count_r: 1 })
  expect((await readCheckpoint(items, 's')).sequenceNumber).toBe('2')
})

test('what another has counted meanwhile is passed over, and the lane is told where the checkpoint is', async () => {
  const setting = running({ sequenceNumber: { S: '2' }, owner: { S: 'another process' } })
  const { lane, counts, moved } = setting
  const late = lane('1')
  await late.count([change(2, undefined, 'q'), change(3, undefined, 'r', '2')])
  expect([counts(), late.sequenceNumber]).toEqual([{ count_r: 1 }, '3'])
  expect(moved).toMatchObject([{ sequenceNumber: '2', owner: 'another process' }])
})

test('what another has moved is told before anything is counted beyond it, and is not taken in where that fails', async () => {
  const { runner, items, counts } = running({ sequenceNumber: { S: '2' } })
  const changes = [change(2, undefined, 'q'), change(3, undefined, 'r', '2')]
  const late = { shardId: 's', owner: undefined, sequenceNumber: '1' }
  const { counted } = await runner.countNext([runner.batchOf(late, changes)])
  expect(counted.get(late)).toMatchObject({ sequenceNumber: '2', found: { sequenceNumber: '2' }, failure: undefined })
  expect(counted.get(late)?.left.map(({ change }) => change.sequenceNumber)).toEqual(['3'])
  expect(counts()).toEqual({})
  const onMoved = () => Promise.reject(new Error('slow down'))
  const lane = new GivenLane({ ...late, runner, onMoved })
  await expect(lane.count(changes)).rejects.toThrow('slow down')
  expect([lane.sequenceNumber, counts(), (await readCheckpoint(items, 's')).sequenceNumber]).toEqual(['1', {}, '2'])
})

test('of a lane that another has moved nothing more is counted at once, also where a lane beside it was lost', async () => {
  const { runner, items, counts } = running({ sequenceNumber: { S: '2' } })
  items.put({ ...keyEntry(checkpointKey('lost')), owner: { S: 'another' } })
  const lanes = [
    { shardId: 'lost', owner: 'mine', sequenceNumber: undefined },
    { shardId: 's', owner: undefined, sequenceNumber: '1' },
  ]
  const { counted } = await runner.countNext(lanes.map((lane) => runner.batchOf(lane, [change(3, undefined, 'q')])))
  expect(lanes.map((lane) => counted.get(lane))).toMatchObject([
    { failure: { message: 'the lease of lost went to another' } },
    { found: { sequenceNumber: '2' }, sequenceNumber: '2', left: [{ change: { sequenceNumber: '3' } }] },
  ])
  expect(counts()).toEqual({})
})

test('who has lost the lease counts nothing, and is told who has it', async () => {
  for (const [held, who] of [
    [{ owner: { S: 'another' } }, 'another'],
    [{}, 'no process'],
  ] as const) {
    const { lane, counts } = running(held)
    await expect(lane(undefined, 'mine').count([change(1, undefined, 'q')])).rejects.toMatchObject({
      ...{ code: 'unavailable', message: `the lease of s went to ${who}` },
    })
    expect(counts()).toEqual({})
  }
})

test('a commit whose answer was lost is made once, and its dead letter told once', async () => {
  let isLost = false
  const setting = running({ owner: { S: 'mine' } })
  const lossy = {
    ...setting.items,
    async send(command: never): Promise<never> {
      const output = await setting.items.send(command)
      if (isLost || !((command as object) instanceof TransactWriteItemsCommand)) return output as never
      isLost = true
      throw Object.assign(new Error('lost'), { code: 'ECONNRESET' })
    },
  } as typeof setting.items
  const told: DeadLetter[] = []
  const runner = createRunner({ table: lossy, projections: [values], onDeadLetter: (each) => told.push(each) })
  const mine = setting.lane(undefined, 'mine', runner)
  await mine.count([change(1, undefined, 'q'), change(2, undefined, 'bad', '2')])
  expect([isLost, setting.counts(), mine.sequenceNumber]).toEqual([true, { count_q: 1 }, '2'])
  expect(told).toHaveLength(1)
  expect(setting.moved).toEqual([])
})

test('of a change that can not be read the other image counts, with a dead letter', async () => {
  const { lane, counts, told, items } = running()
  await lane().count([change(1, undefined, 'q'), change(2, 'q', 'bad'), change(3, 'bad', 'r')])
  expect(counts()).toEqual({ count_r: 1 })
  const letter = { key: itemKey('1'), shardId: 's', at: 1_000, reason: 'v is bad', refusedBy: [] }
  expect(told).toEqual([2, 3].map((sequence) => ({ ...letter, sequenceNumber: String(sequence) })))
  expect(await listDeadLetters(items)).toEqual(told)
})

test('a change that concerns nothing is no work, and one that a copy alone wants is', async () => {
  const other: Change = { ...change(1, undefined, 'q'), key: { PK: 'Y#1', SK: '~' } }
  const given: Change[] = []
  const setting = running({}, { projections: [copyThat(false, given)] })
  const lane = setting.lane()
  expect(setting.runner.batchOf(lane, [other]).changes).toEqual([])
  await lane.count([other, change(2, undefined, 'q')])
  expect(given.map(({ sequenceNumber }) => sequenceNumber)).toEqual(['2'])
  expect([lane.sequenceNumber, transactions(setting)]).toEqual(['2', 1])
})

test('what a copy refuses is counted, and its dead letter names the copy and the reason once', async () => {
  const setting = running({}, { projections: [values, copyThat(true)] })
  await setting.lane().count([change(1, undefined, 'q'), change(2, undefined, 'r', '2')])
  expect(setting.counts()).toEqual({ count_q: 1, count_r: 1 })
  expect(setting.told.map(({ reason, refusedBy }) => [reason, refusedBy])).toEqual([
    ['not taken', ['cache']],
    ['not taken', ['cache']],
  ])
  const bad = running({}, { projections: [values, copyThat(true)] })
  await bad.lane().count([change(1, undefined, 'bad')])
  expect(bad.told).toMatchObject([{ reason: 'not taken; v is bad', refusedBy: ['cache'] }])
})

test('a copy that is away keeps the lane back, and nothing is counted', async () => {
  const away: CopyProjection = {
    ...copyThat(false),
    async apply() {
      throw new LapidaryError('unavailable', 'away')
    },
  }
  const setting = running({}, { projections: [values, away] })
  const lane = setting.lane()
  await expect(lane.count([change(1, undefined, 'q')])).rejects.toThrow('away')
  expect([setting.counts(), lane.sequenceNumber, setting.told]).toEqual([{}, undefined, []])
})

/** Refuses transactions that write a counter of this name. */
const refusing = (name: string): MemoryItemsOptions => ({
  before(command) {
    if (!(command instanceof TransactWriteItemsCommand)) return
    const written = (command.input.TransactItems ?? []).some(({ Put }) => Put?.Item?.[name] !== undefined)
    if (written) throw Object.assign(new Error('no such value'), { name: 'ValidationException' })
  },
})

test('what DynamoDB refuses of a change is left out, and the other image and other changes count', async () => {
  const setting = running({}, {}, refusing('count_giant'))
  const changes = [change(1, undefined, 'q'), change(2, 'q', 'giant'), change(3, undefined, 'r', '2')]
  const lane = setting.lane()
  await lane.count(changes)
  expect(setting.counts()).toEqual({ count_r: 1 })
  expect(setting.told).toMatchObject([{ sequenceNumber: '2', reason: 'no such value', refusedBy: [] }])
  expect(lane.sequenceNumber).toBe('3')
})

test('a change of which nothing is taken is passed over, and an error that is no refusal is not', async () => {
  const none = running({}, {}, refusing('count_giant'))
  const lane = none.lane()
  await lane.count([change(1, undefined, 'giant')])
  expect([none.counts(), lane.sequenceNumber, none.told.length]).toEqual([{}, '1', 1])
  const denied = running(
    {},
    {},
    {
      before(command) {
        if (command instanceof TransactWriteItemsCommand) throw Object.assign(new Error('no'), { name: 'AccessDenied' })
      },
    },
  )
  await expect(denied.lane().count([change(1, undefined, 'q')])).rejects.toThrow('no')
  expect(denied.told).toEqual([])
})

test('a follower has checkpoints and dead letters of its own', async () => {
  const setting = running({}, { follower: 'files', projections: [copyThat(true)] })
  await setting.lane().count([change(1, undefined, 'q')])
  expect(setting.items.get(checkpointKey('s', 'files'))?.sequenceNumber?.S).toBe('1')
  expect(setting.items.get(checkpointKey('s'))).toBeUndefined()
  expect(setting.told).toMatchObject([{ shardId: 's@files', refusedBy: ['cache'] }])
})

test('a checkpoint is advanced over what changes nothing, unless another moved it', async () => {
  const { runner, lane, items } = running({ owner: { S: 'mine' }, sequenceNumber: { S: '3' } })
  const mine = lane('3', 'mine')
  expect([await runner.advance(mine, '9'), (await readCheckpoint(items, 's')).sequenceNumber]).toEqual(['9', '9'])
  const late = lane('3', 'mine')
  expect([await runner.advance(late, '12'), (await readCheckpoint(items, 's')).sequenceNumber]).toEqual(['9', '9'])
})

/** What a process keeps by a register of such a revision. */
const keptAt = (revision: number, projections: readonly Projection[] = [values]): Kept => ({
  ...{ revision, projections },
})

/** Who follows a table whose register has a revision: what it kept a moment ago, and what it keeps once it has looked again. */
function following(of: { kept: Kept; held?: Entry; register?: number }, next: Kept = of.kept) {
  let kept = of.kept
  const shapes = {
    current: async () => kept,
    async refresh() {
      kept = next
      return kept
    },
    caughtUp: async () => {},
  }
  const setting = running(of.held ?? {}, { shapes })
  setting.items.put({ ...keyEntry(REGISTER_KEY), revision: { N: String(of.register ?? next.revision) } })
  return {
    ...setting,
    revise: (revision: number) => setting.items.put({ ...keyEntry(REGISTER_KEY), revision: { N: String(revision) } }),
  }
}
/** Counts as `values` does, under a key of its own. */
const others: Projection = {
  ...{ ...values, name: 'others', owns: ({ PK }) => PK.startsWith('~others#X#') },
  contributions: (entry) => values.contributions(entry).map(({ amounts }) => ({ target: OTHERS, amounts })),
}
const OTHERS = { PK: '~others#X#a', SK: '~' }
const countsBeside = ({ items }: ReturnType<typeof running>) => values.amountsOf(items.get(OTHERS) ?? {})

test('a lane is taken up by the register as it is, before anything of it is counted', async () => {
  const setting = following({ kept: keptAt(3) })
  const lane = setting.lane()
  expect(await setting.runner.takeUp(lane)).toEqual({ register: 3, sequenceNumber: undefined })
  await lane.takeUp()
  expect([lane.register, (await readCheckpoint(setting.items, 's')).register]).toEqual([3, 3])
  await lane.count([change(1, undefined, 'q')])
  expect(setting.counts()).toEqual({ count_q: 1 })
  // Nothing is written where it was taken up by that before.
  const before = transactions(setting)
  await lane.takeUp()
  expect(transactions(setting)).toBe(before)
})

test('a lane is not taken up by an earlier register than the one that is there', async () => {
  const setting = following({ kept: keptAt(3), register: 4 }, keptAt(4, [values, others]))
  const lane = setting.lane()
  await lane.takeUp()
  expect(lane.register).toBe(4)
  await lane.count([change(1, undefined, 'q')])
  expect([setting.counts(), countsBeside(setting)]).toEqual([{ count_q: 1 }, { count_q: 1 }])
})

test('a lane whose checkpoint asks for a later register is taken up by that', async () => {
  const setting = following({ kept: keptAt(3), held: { register: { N: '4' } } }, keptAt(5, [others]))
  const lane = setting.lane()
  await lane.takeUp()
  expect([lane.register, (await readCheckpoint(setting.items, 's')).register]).toEqual([5, 5])
})

test('who counts by an earlier register is refused, and counts once by the later one', async () => {
  const setting = following({ kept: keptAt(3), register: 3 }, keptAt(4, [values, others]))
  const { items, runner, revise, counts } = setting
  const lane = setting.lane()
  await lane.takeUp()
  await lane.count([change(1, undefined, 'q')])
  revise(4)
  await requireRevision(items, 's', 4)
  const batch = runner.batchOf(lane, [change(2, undefined, 'r', '2')])
  const { counted } = await runner.countNext([batch])
  expect([isOutdated(counted.get(lane)?.failure), isOutdated(new LapidaryError('unavailable', 'else'))]).toEqual([
    true,
    false,
  ])
  expect([counts(), lane.sequenceNumber]).toEqual([{ count_q: 1 }, '1'])
  await expect(runner.advance(lane, '9')).rejects.toSatisfy(isOutdated)
  expect((await readCheckpoint(items, 's')).sequenceNumber).toBe('1')
  // As a Lambda does, which is given the batch again or goes on with it.
  await lane.count([change(1, undefined, 'q'), change(2, undefined, 'r', '2')])
  expect([counts(), countsBeside(setting)]).toEqual([{ count_q: 1, count_r: 1 }, { count_r: 1 }])
  expect([lane.register, lane.sequenceNumber]).toEqual([4, '2'])
})

test('what was described by an earlier register is not counted by a later one that another lane has taken up', async () => {
  const setting = following({ kept: keptAt(3), register: 3 }, keptAt(4, [values, others]))
  const { runner } = setting
  const [lane, other] = [setting.lane(), new GivenLane({ ...{ runner, shardId: 'other' }, ...NEW })]
  await lane.takeUp()
  const batch = setting.runner.batchOf(lane, [change(1, undefined, 'q')])
  setting.revise(4)
  await other.takeUp()
  const { counted } = await setting.runner.countNext([batch])
  expect([isOutdated(counted.get(lane)?.failure), setting.counts()]).toEqual([true, {}])
  await lane.count([change(1, undefined, 'q')])
  expect([setting.counts(), countsBeside(setting)]).toEqual([{ count_q: 1 }, { count_q: 1 }])
})

test('an answer to an earlier register that comes late does not bring it back', async () => {
  let answer: () => void = () => {}
  const late = new Promise<void>((resolve) => {
    answer = resolve
  })
  const items = memoryItems()
  items.put({ ...keyEntry(REGISTER_KEY), revision: { N: '3' } })
  let kept = keptAt(3, [])
  const shapes = { current: async () => kept, refresh: async () => kept, caughtUp: async () => {} }
  const send: typeof items.send = async (command) => {
    const output = await items.send(command)
    if (JSON.stringify(command.input).includes('slow')) await late
    return output
  }
  const runner = createRunner({ table: { ...items, send }, projections: [], shapes })
  const lane = (shardId: string) => new GivenLane({ runner, shardId, owner: undefined, sequenceNumber: undefined })
  const [slow, first, second] = [lane('slow'), lane('first'), lane('second')]
  const taken = slow.takeUp(checkpointOf(undefined))
  await vi.waitFor(async () => expect((await readCheckpoint(items, 'slow')).register).toBe(3))
  kept = keptAt(4, [values])
  items.put({ ...keyEntry(REGISTER_KEY), revision: { N: '4' } })
  await first.takeUp()
  answer()
  await taken
  const batch = runner.batchOf(first, [change(1, undefined, 'q')])
  await second.takeUp()
  expect((await runner.countNext([batch])).counted.get(first)).toMatchObject({ left: [], failure: undefined })
  expect(values.amountsOf(items.get(countsKey('a')) ?? {})).toEqual({ count_q: 1 })
})

test('a lane whose lease was lost is not taken up, nor one whose register keeps changing', async () => {
  const lost = following({ kept: keptAt(3), held: { owner: { S: 'another' } }, register: 4 }, keptAt(4))
  await expect(lost.runner.takeUp(lost.lane(undefined, 'mine'))).rejects.toMatchObject({ code: 'unavailable' })
  const changing = following({ kept: keptAt(3), register: 99 }, keptAt(4))
  await expect(changing.runner.takeUp(changing.lane())).rejects.toMatchObject({ code: 'unavailable' })
  expect((await readCheckpoint(changing.items, 's')).register).toBe(0)
})

test('a shard that ends is ended by who counts it by the register of its checkpoint alone', async () => {
  const { items } = running({ owner: { S: 'mine' }, register: { N: '4' } })
  expect(await endShard(items, 's', 0, { owner: 'mine', register: 3 })).toBe(false)
  expect((await readCheckpoint(items, 's')).finished).toBe(false)
  expect(await endShard(items, 's', 0, { owner: 'mine', register: 4 })).toBe(true)
})
