import { expect, test } from 'vitest'
import { checkpointOf } from '../stream/checkpoint.ts'
import { LogShard } from './log-shard.ts'
import type { Step } from './truth.ts'

interface Counted {
  readonly sequenceNumber?: string
  readonly finished?: boolean
  readonly gaps?: number
}

const WHOLE = { trimmed: false }
const TRIMMED = { trimmed: true }
const BEGUN: Counted = { sequenceNumber: '4' }
const COUNTED: Counted = { sequenceNumber: '5' }

const checkpoint = ({ sequenceNumber, finished = false, gaps = 0 }: Counted) =>
  checkpointOf({
    ...(sequenceNumber === undefined ? {} : { sequenceNumber: { S: sequenceNumber } }),
    ...{ finished: { BOOL: finished }, gaps: { N: String(gaps) } },
  })

const shard = (begun: Counted, ...sequenceNumbers: string[]): LogShard => {
  const log = new LogShard(
    { shardId: 's', parentShardId: undefined, start: undefined },
    { late: false, at: 0 },
    checkpoint(begun),
  )
  for (const sequenceNumber of sequenceNumbers) log.steps.push({ sequenceNumber, at: 0, before: 0, after: 2 } as Step)
  log.position = sequenceNumbers.at(-1) ?? log.position
  return log
}

test.each<[string, boolean, Counted, readonly string[], { readonly trimmed: boolean }, Counted | undefined]>([
  ['has counted nothing of a shard, and there is something', true, {}, ['5'], WHOLE, {}],
  ['is not known to have counted anything', true, {}, ['5'], WHOLE, undefined],
  ['has counted nothing, and there is nothing', false, {}, [], WHOLE, {}],
  ['has counted something of a shard that was new to it', false, {}, ['5'], WHOLE, COUNTED],
  ['goes on from where nothing is gone', false, BEGUN, ['5'], WHOLE, BEGUN],
  ['is before what is gone', true, BEGUN, ['9'], TRIMMED, BEGUN],
  ['is before what is gone, and nothing is left', true, BEGUN, [], TRIMMED, BEGUN],
  ['has noted what is gone', false, BEGUN, [], TRIMMED, { ...BEGUN, gaps: 1 }],
  ['has noted a gap, and not got past it', true, BEGUN, ['9'], TRIMMED, { ...BEGUN, gaps: 1 }],
  ['has noted that what is read here is gone', true, BEGUN, ['9'], WHOLE, { ...BEGUN, gaps: 1 }],
  ['has noted a gap, and counted past it', false, BEGUN, ['9'], WHOLE, { ...COUNTED, gaps: 1 }],
  ['had noted a gap before', false, { ...BEGUN, gaps: 1 }, ['9'], WHOLE, { ...BEGUN, gaps: 1 }],
  ['has got past what is gone', false, BEGUN, ['5'], TRIMMED, COUNTED],
  ['has finished the shard by now', false, BEGUN, ['9'], TRIMMED, { ...BEGUN, finished: true }],
  ['had finished the shard before', false, { finished: true }, ['9'], TRIMMED, {}],
])('where the runner %s, it may lose records: %s', (_, mayLose, begun, read, { trimmed }, now) => {
  const log = shard(begun, ...read)
  log.trimmed = trimmed
  expect(log.mayLose(now && checkpoint(now))).toBe(mayLose)
})

test.each<[Counted, number]>([
  [{}, 0],
  [{ sequenceNumber: '9' }, 0],
  [{ sequenceNumber: '10' }, 1],
  [{ sequenceNumber: '11' }, 1],
  [{ sequenceNumber: '100' }, 3],
  [{ sequenceNumber: '10', finished: true }, 3],
])('at the checkpoint %j, %i of three steps are counted', (now, counted) => {
  expect(shard({}, '10', '12', '13').countedAt(checkpoint(now))).toBe(counted)
})

test('everything up to a checkpoint is read once the log is there, or at the end of the shard', () => {
  const hasRead = (log: LogShard, now: Counted): boolean => log.hasRead(checkpoint(now))
  const begun = shard({ sequenceNumber: '9' })
  expect([{}, { sequenceNumber: '9' }].map((now) => hasRead(begun, now))).toEqual([true, true])
  expect([{ sequenceNumber: '10' }, { finished: true }].map((now) => hasRead(begun, now))).toEqual([false, false])
  expect(hasRead(shard({}), { sequenceNumber: '10' })).toBe(false)
  const read = shard({ sequenceNumber: '9' }, '10', '12')
  expect(['10', '12', '13'].map((sequenceNumber) => hasRead(read, { sequenceNumber }))).toEqual([true, true, false])
  read.ended = true
  expect(hasRead(read, { sequenceNumber: '12', finished: true })).toBe(true)
  expect(hasRead(shard({ finished: true }), { sequenceNumber: '13' })).toBe(true)
})

test('a shard is over once it is read to its end, all of it is counted, and what follows it is known', () => {
  const log = shard({}, '10')
  const isOver: boolean[] = []
  const look = (): unknown => isOver.push(log.isOver)
  log.ended = true
  look()
  log.followed = true
  look()
  log.steps.splice(0)
  look()
  log.followed = false
  look()
  ;[log.ended, log.followed] = [false, true]
  look()
  expect(isOver).toEqual([false, false, true, false, false])
})
