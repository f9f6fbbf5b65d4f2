import { type DynamoDBErrorName, dynamodbError } from 'lapidary-testing'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { answering } from './answering.ts'
import type { StreamsClient } from './streams-client.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A client that answers when it is told to, or never; keeps the signals that it was given. */
function client(answer: Promise<unknown>) {
  const signals: AbortSignal[] = []
  const streams = {
    send(_: object, { abortSignal }: { readonly abortSignal: AbortSignal }) {
      signals.push(abortSignal)
      return answer
    },
  } as unknown as StreamsClient
  return { streams, signals }
}
const command = {} as never

test('gives what the stream answers, and waits no longer then', async () => {
  const { streams, signals } = client(Promise.resolve('answer'))
  expect(await answering(streams).send(command)).toBe('answer')
  expect(vi.getTimerCount()).toBe(0)
  expect(signals.map(({ aborted }) => aborted)).toEqual([false])
})

test('gives up a request that is not answered in half a minute', async () => {
  const { streams, signals } = client(new Promise(() => undefined))
  const asked = answering(streams).send(command)
  const refused = expect(asked).rejects.toMatchObject({
    code: 'unavailable',
    message: 'the change stream did not answer in 30 seconds',
  })
  await vi.advanceTimersByTimeAsync(29_999)
  expect(signals[0]?.aborted).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  await refused
  expect(signals[0]?.aborted).toBe(true)
})

test('gives up at once what is not wanted any more', async () => {
  const { streams, signals } = client(new Promise(() => undefined))
  const stop = new AbortController()
  const asked = answering(streams, { signal: stop.signal }).send(command)
  const refused = expect(asked).rejects.toThrow('enough')
  stop.abort(new Error('enough'))
  await refused
  expect(signals[0]?.aborted).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
  await expect(answering(streams, { signal: stop.signal }).send(command)).rejects.toThrow('enough')
})

test('tries again what passes, and says with a code what does not; what is of the stream itself stays as it is', async () => {
  const refusals: Error[] = []
  const streams = {
    async send() {
      const refusal = refusals.shift()
      if (refusal !== undefined) throw refusal
      return 'answer'
    },
  } as unknown as StreamsClient
  const waiting = { random: () => 0, sleep: async () => undefined }
  const ask = (...errors: readonly DynamoDBErrorName[]): Promise<unknown> => {
    refusals.splice(0, refusals.length, ...errors.map(dynamodbError))
    return answering(streams, { waiting }).send(command)
  }
  expect(await ask('LimitExceededException', 'InternalServerError')).toBe('answer')
  await expect(ask('AccessDeniedException')).rejects.toMatchObject({ code: 'access_denied' })
  await expect(ask(...Array.from({ length: 6 }, () => 'ThrottlingException' as const))).rejects.toMatchObject({
    code: 'unavailable',
    details: { meaning: 'throttled' },
  })
  for (const name of ['ResourceNotFoundException', 'TrimmedDataAccessException', 'ExpiredIteratorException'] as const)
    await expect(ask(name)).rejects.toMatchObject({ name })
})

test('the SDK makes no entry of a log that the client of the stream does not write', async () => {
  const added: string[] = []
  const middlewareStack = { add: (_: unknown, { name }: { readonly name: string }) => added.push(name) }
  const { streams } = client(Promise.resolve('answer'))
  await answering(streams).send({ middlewareStack } as never)
  expect(added).toEqual(['lapidarySilentLog'])
})
