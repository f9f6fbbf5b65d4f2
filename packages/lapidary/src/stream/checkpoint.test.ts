import { expect, test } from 'vitest'
import { checkpointKey, checkpointOf, followedShard } from './checkpoint.ts'

test('each follower has checkpoints of its own, which tell their shard', () => {
  const { PK } = checkpointKey('shard#1', 'files')
  expect(PK).not.toBe(checkpointKey('shard#1').PK)
  expect(followedShard(PK, 'files')).toBe('shard#1')
  expect(followedShard(PK, 'other files')).toBeUndefined()
  expect(followedShard(checkpointKey('shard#1').PK, 'files')).toBeUndefined()
})

test('a checkpoint that is not there is that of a shard of which nothing is counted', () => {
  expect(checkpointOf(undefined)).toEqual({
    ...{ sequenceNumber: undefined, owner: undefined, leasedUntil: 0 },
    ...{ finished: false, gap: false, gaps: 0, byLambda: false },
  })
})

test('Lambda has moved a checkpoint last where its mark is at the same place', () => {
  const byLambda = (lambda: string | undefined) =>
    checkpointOf({ sequenceNumber: { S: '7' }, ...(lambda === undefined ? {} : { lambda: { S: lambda } }) }).byLambda
  expect([byLambda('7'), byLambda('6'), byLambda(undefined)]).toEqual([true, false, false])
})
