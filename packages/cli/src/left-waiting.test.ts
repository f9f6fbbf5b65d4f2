import { MOST_PENDING } from 'lapidary'
import { expect, test } from 'vitest'
import { leftOf, leftWaiting } from './left-waiting.ts'
import type { Session } from './session.ts'
import type { Terminal } from './terminal.ts'

const report = { shards: [], pending: 0, pendingSince: undefined, apart: undefined, deadLetters: 0 }
const shard = { shardId: 's', owner: 'a', gap: false, sequenceNumber: '1' }

test.each([
  ['nothing waits', report, true, 'everything is counted', { pending: 0, counted: true }],
  [
    'more waits than a report counts',
    { ...report, pending: MOST_PENDING },
    true,
    '10,000 or more changes not counted yet: run lapidary stream, unless a server or the Lambda counts them',
    { pending: 10_000, counted: false },
  ],
  [
    'a process counts what waits',
    { ...report, pending: 1, shards: [shard] },
    true,
    '1 change not counted yet: a process that follows the stream is counting them',
    { pending: 1, counted: false },
  ],
  [
    'a store apart is behind',
    { ...report, apart: { ...report, pending: 2 } },
    true,
    '2 changes not in the stores of page numbers yet: run lapidary stream, unless a server or the Lambda counts them',
    { pending: 0, pendingApart: 2, counted: false },
  ],
  [
    'counts are not made yet',
    report,
    false,
    'counts are not complete: lapidary doctor tells why',
    { pending: 0, counted: false },
  ],
  [
    'the stream lost changes',
    { ...report, shards: [{ ...shard, gap: true }] },
    true,
    'counts are not complete: lapidary doctor tells why',
    { pending: 0, counted: false },
  ],
  [
    'changes could not be counted',
    { ...report, deadLetters: 1 },
    true,
    'counts are not complete: lapidary doctor tells why',
    { pending: 0, counted: false },
  ],
])('says what is left where %s', (_, of, isKnown, text, json) => {
  expect(leftOf(of, isKnown)).toEqual({ text, json })
})

const UNKNOWN = { pending: null, counted: null }

/** Returns what the terminal shows of a stream that is read this way, where a signal may have stopped it. */
const toldOf = (read: () => Promise<unknown>, signal: AbortSignal, leftMs = Number.POSITIVE_INFINITY) => {
  const database = { stream: { report: read }, derived: { states: async () => [] } }
  return leftWaiting({ database } as unknown as Session, { signal, leftMs: () => leftMs } as Terminal)
}

test('what can not be read fails no command, and is not known', async () => {
  const refused = async () => Promise.reject(new Error('no right to read the stream'))
  const { text, json } = await toldOf(refused, new AbortController().signal)
  expect([text, json]).toEqual([expect.stringContaining('is not known: no right to read the stream'), UNKNOWN])
})

test('a database that does not answer holds up no end, before a signal and after it', async () => {
  const never = () => new Promise<never>(() => {})
  const stop = new AbortController()
  const waiting = toldOf(never, stop.signal)
  stop.abort()
  expect(await waiting).toMatchObject({ json: UNKNOWN })
  expect(await toldOf(never, stop.signal, 200.5)).toMatchObject({ json: UNKNOWN })
  expect(await toldOf(never, stop.signal, 0)).toMatchObject({ json: UNKNOWN })
})
