import { expect, test } from 'vitest'
import { checkpointOf } from '../stream/checkpoint.ts'
import { Lineage } from '../stream/lineage.ts'
import { LogShard } from './log-shard.ts'
import { snapshotCut } from './snapshot-cut.ts'
import type { Step } from './truth.ts'

const at = (sequenceNumber: string, finished = false) =>
  checkpointOf({ sequenceNumber: { S: sequenceNumber }, finished: { BOOL: finished } })

type State = Partial<Pick<LogShard, 'ended' | 'followed' | 'finished'>> & { readonly steps?: number }

/** `s` closed into `t` and `u`, as the log knows them. */
function cut(
  states: Readonly<Record<'s' | 't' | 'u', State>>,
  ...checkpoints: (readonly [string, string, boolean?])[]
) {
  const shards = Object.entries(states).map(([shardId, { steps = 0, ...state }]) => {
    const link = { shardId, parentShardId: shardId === 's' ? undefined : 's', start: undefined }
    const shard = Object.assign(new LogShard(link, { late: false, at: 0 }, checkpointOf(undefined)), state)
    for (let i = 1; i <= steps; i++) shard.steps.push({ sequenceNumber: String(i) } as Step)
    return shard
  })
  const told = new Map(checkpoints.map(([shardId, number, finished]) => [shardId, at(number, finished)]))
  return snapshotCut(new Lineage(shards), told)
}

const READ: State = { ended: true, followed: true, steps: 2 }
const OVER: State = { ended: true, followed: true }

test.each<[string, Parameters<typeof cut>, ReturnType<typeof cut>]>([
  ['that the runner has not come through', [{ s: READ, t: {}, u: {} }, ['s', '1']], 'whole'],
  ['that it has come through, without those behind it', [{ s: READ, t: {}, u: {} }, ['s', '2']], 'partial'],
  ['that it has finished, without those behind it', [{ s: READ, t: {}, u: {} }, ['s', '1', true]], 'partial'],
  ['with one of those behind it', [{ s: READ, t: {}, u: {} }, ['s', '2'], ['t', '1']], 'partial'],
  ['with all that follow it', [{ s: READ, t: {}, u: {} }, ['s', '2'], ['t', '1'], ['u', '1']], 'whole'],
  [
    'behind which one was finished before',
    [{ s: READ, t: {}, u: { finished: true } }, ['s', '2'], ['t', '1']],
    'whole',
  ],
  ['behind which one is over', [{ s: READ, t: {}, u: OVER }, ['s', '2'], ['t', '1']], 'whole'],
  ['of which nothing is left, without those behind it', [{ s: OVER, t: {}, u: {} }, ['t', '1']], 'partial'],
  ['that was finished before', [{ s: { finished: true }, t: {}, u: {} }], 'whole'],
  [
    'that is read to its end, and not known to be followed',
    [{ s: { ended: true }, t: {}, u: {} }, ['s', '2']],
    'unproven',
  ],
  ['that was finished, and is not known to be followed', [{ s: {}, t: {}, u: {} }, ['s', '2', true]], 'unproven'],
  ['that is not read to its end', [{ s: { steps: 2 }, t: {}, u: {} }, ['s', '2']], 'whole'],
])('a snapshot of a shard %s', (_, given, expected) => {
  expect(cut(...given)).toBe(expected)
})
