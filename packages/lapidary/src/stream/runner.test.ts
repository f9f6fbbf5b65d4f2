import { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { expect, test } from 'vitest'
import { countsKey, itemKey, values } from '../../test/memory-items/counted-table.ts'
import { type MemoryItemsOptions, memoryItems } from '../../test/memory-items/memory-items.ts'
import type { Change } from '../derived/change.ts'
import type { CopyProjection } from '../derived/copy-projection.ts'
import { keyEntry } from '../derived/guarded-write.ts'
import type { Entry } from '../model/entry.ts'
import { LapidaryError } from '../model/errors.ts'
import type { Lane } from './batch.ts'
import { type Checkpoint, checkpointKey, readCheckpoint } from './checkpoint.ts'
import { type DeadLetter, listDeadLetters } from './dead-letters.ts'
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
  const lane = (from?: string, owner?: string): Lane => ({
    ...{ shardId: 's', owner, sequenceNumber: from, onMoved: async (checkpoint) => void moved.push(checkpoint) },
  })
  const counts = () => values.amountsOf(items.get(countsKey('a')) ?? {})
  return { items, runner, lane, counts, told, moved }
}
const transactions = ({ items }: ReturnType<typeof running>): number =>
  items.sent.filter(({ name }) => name === 'TransactWriteItems').length
const copyThat = (refuses: boolean, given: Change[] = []): CopyProjection => ({
  ...{ name: 'cache', concerns: ({ key }) => key.PK.startsWith('X#') },
  async apply(changes) {
    given.push(...changes)
    if (refuses) throw new LapidaryError('unprocessable', 'not taken')
  },
})

test('changes are counted once, and the lane goes on from the last of them', async () => {
  const { runner, lane, counts, items } = running()
  const mine = lane()
  await runner.apply(mine, [change(1, undefined, 'q'), change(2, 'q', 'r'), change(2, 'q', 'r')])
  await runner.apply(mine, [change(2, 'q', 'r')])
  expect([counts(), mine.sequenceNumber]).toEqual([{ count_r: 1 }, '2'])
  // As told again by a Lambda that began anew.
  await runner.apply(lane('2'), [change(1, undefined, 'q')])
  expect(counts()).toEqual({ count_r: 1 })
  expect((await readCheckpoint(items, 's')).sequenceNumber).toBe('2')
})

test('what another has counted meanwhile is passed over, and the lane is told where the checkpoint is', async () => {
  const setting = running({ sequenceNumber: { S: '2' }, owner: { S: 'another process' } })
  const { runner, lane, counts, moved } = setting
  const late = lane('1')
  await runner.apply(late, [change(2, undefined, 'q'), change(3, undefined, 'r', '2')])
  expect([counts(), late.sequenceNumber]).toEqual([{ count_r: 1 }, '3'])
  expect(moved).toMatchObject([{ sequenceNumber: '2', owner: 'another process' }])
})

test('who has lost the lease counts nothing, and is told who has it', async () => {
  for (const [held, who] of [
    [{ owner: { S: 'another' } }, 'another'],
    [{}, 'no process'],
  ] as const) {
    const { runner, lane, counts } = running(held)
    await expect(runner.apply(lane(undefined, 'mine'), [change(1, undefined, 'q')])).rejects.toMatchObject({
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
  const mine = setting.lane(undefined, 'mine')
  await runner.apply(mine, [change(1, undefined, 'q'), change(2, undefined, 'bad', '2')])
  expect([isLost, setting.counts(), mine.sequenceNumber]).toEqual([true, { count_q: 1 }, '2'])
  expect(told).toHaveLength(1)
  expect(setting.moved).toEqual([])
})

test('of a change that can not be read the other image counts, with a dead letter', async () => {
  const { runner, lane, counts, told, items } = running()
  await runner.apply(lane(), [change(1, undefined, 'q'), change(2, 'q', 'bad'), change(3, 'bad', 'r')])
  expect(counts()).toEqual({ count_r: 1 })
  const letter = { key: itemKey('1'), shardId: 's', at: 1_000, reason: 'v is bad', refusedBy: [] }
  expect(told).toEqual([2, 3].map((sequence) => ({ ...letter, sequenceNumber: String(sequence) })))
  expect(await listDeadLetters(items)).toEqual(told)
})

test('a change that concerns nothing is no work, and one that a copy alone wants is', async () => {
  const other: Change = { ...change(1, undefined, 'q'), key: { PK: 'Y#1', SK: '~' } }
  const given: Change[] = []
  const setting = running({}, { projections: [], copies: [copyThat(false, given)] })
  const lane = setting.lane()
  expect(setting.runner.batchOf(lane, [other]).changes).toEqual([])
  await setting.runner.apply(lane, [other, change(2, undefined, 'q')])
  expect(given.map(({ sequenceNumber }) => sequenceNumber)).toEqual(['2'])
  expect([lane.sequenceNumber, transactions(setting)]).toEqual(['2', 1])
})

test('what a copy refuses is counted, and its dead letter names the copy and the reason once', async () => {
  const setting = running({}, { copies: [copyThat(true)] })
  await setting.runner.apply(setting.lane(), [change(1, undefined, 'q'), change(2, undefined, 'r', '2')])
  expect(setting.counts()).toEqual({ count_q: 1, count_r: 1 })
  expect(setting.told.map(({ reason, refusedBy }) => [reason, refusedBy])).toEqual([
    ['not taken', ['cache']],
    ['not taken', ['cache']],
  ])
  const bad = running({}, { copies: [copyThat(true)] })
  await bad.runner.apply(bad.lane(), [change(1, undefined, 'bad')])
  expect(bad.told).toMatchObject([{ reason: 'not taken; v is bad', refusedBy: ['cache'] }])
})

test('a copy that is away keeps the lane back, and nothing is counted', async () => {
  const away: CopyProjection = {
    ...copyThat(false),
    async apply() {
      throw new LapidaryError('unavailable', 'away')
    },
  }
  const setting = running({}, { copies: [away] })
  const lane = setting.lane()
  await expect(setting.runner.apply(lane, [change(1, undefined, 'q')])).rejects.toThrow('away')
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
  await setting.runner.apply(lane, changes)
  expect(setting.counts()).toEqual({ count_r: 1 })
  expect(setting.told).toMatchObject([{ sequenceNumber: '2', reason: 'no such value', refusedBy: [] }])
  expect(lane.sequenceNumber).toBe('3')
})

test('a change of which nothing is taken is passed over, and an error that is no refusal is not', async () => {
  const none = running({}, {}, refusing('count_giant'))
  const lane = none.lane()
  await none.runner.apply(lane, [change(1, undefined, 'giant')])
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
  await expect(denied.runner.apply(denied.lane(), [change(1, undefined, 'q')])).rejects.toThrow('no')
  expect(denied.told).toEqual([])
})

test('a follower has checkpoints and dead letters of its own', async () => {
  const setting = running({}, { follower: 'files', copies: [copyThat(true)], projections: [] })
  await setting.runner.apply(setting.lane(), [change(1, undefined, 'q')])
  expect(setting.items.get(checkpointKey('s', 'files'))?.sequenceNumber?.S).toBe('1')
  expect(setting.items.get(checkpointKey('s'))).toBeUndefined()
  expect(setting.told).toMatchObject([{ shardId: 's@files', refusedBy: ['cache'] }])
})

test('a checkpoint is advanced over what changes nothing, unless another moved it', async () => {
  const { runner, lane, items } = running({ owner: { S: 'mine' }, sequenceNumber: { S: '3' } })
  const mine = lane('3', 'mine')
  await runner.advance(mine, '9')
  expect([mine.sequenceNumber, (await readCheckpoint(items, 's')).sequenceNumber]).toEqual(['9', '9'])
  const late = lane('3', 'mine')
  await runner.advance(late, '12')
  expect([late.sequenceNumber, (await readCheckpoint(items, 's')).sequenceNumber]).toEqual(['9', '9'])
})
