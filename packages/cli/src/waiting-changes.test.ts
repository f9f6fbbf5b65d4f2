import type { StreamReport } from 'lapidary'
import { expect, test } from 'vitest'
import type { Session } from './session.ts'
import { readStreamState, waitingProblem } from './waiting-changes.ts'

const { signal } = new AbortController()

/** A session whose stream gives these reports in turn, the last again and again. */
function sessionOf(reports: readonly Partial<StreamReport>[]): Session {
  let asked = 0
  const report = async () => {
    const given = reports[Math.min(asked++, reports.length - 1)]
    return { shards: [], pending: 0, pendingSince: undefined, apart: undefined, deadLetters: 0, ...given }
  }
  return { database: { stream: { report } } } as unknown as Session
}

const shard = (sequenceNumber: string | undefined, owner?: string) => ({
  shardId: 's',
  owner,
  gap: false,
  sequenceNumber,
})

test('a shard that no process holds is followed when what is counted moves, as a Lambda moves it', async () => {
  const waiting = { pending: 3, pendingSince: Date.now() }
  const session = sessionOf([
    { ...waiting, shards: [shard('1')] },
    { ...waiting, shards: [shard('1')] },
    { ...waiting, shards: [shard('2')] },
  ])
  const { counted } = await readStreamState(session, signal)
  expect(counted).toMatchObject({ pending: 3, followed: true })
  expect(waitingProblem(counted)).toBeUndefined()
})

test('what follows and is more than a minute behind is a problem, though something counts', async () => {
  const session = sessionOf([{ pending: 10_000, pendingSince: Date.now() - 61_000, shards: [shard('1', 'a')] }])
  const { counted } = await readStreamState(session, signal)
  expect(waitingProblem(counted)).toMatchObject({ message: '10,000 or more changes not counted, the first 61 s old' })
})

test('stores that follow the stream by themselves are looked at by themselves', async () => {
  const apart = (pending: number, sequenceNumber: string) => ({
    ...{ pending, pendingSince: pending === 0 ? undefined : Date.now(), shards: [shard(sequenceNumber)] },
  })
  const state = await readStreamState(sessionOf([{ apart: apart(1, '1') }, { apart: apart(0, '2') }]), signal)
  expect([state.counted.pending, state.apart]).toEqual([0, expect.objectContaining({ pending: 0 })])
})

test('a wait for what counts ends with its signal', async () => {
  const stop = new AbortController()
  const session = sessionOf([{ pending: 1, pendingSince: Date.now(), shards: [shard('1')] }])
  setTimeout(() => stop.abort(), 50)
  await expect(readStreamState(session, stop.signal)).rejects.toThrow()
})
