import { LapidaryError } from '../model/errors.ts'
import type { StreamsClient } from './streams-client.ts'
import { unlessAborted } from './unless-aborted.ts'

/** A stream answers within seconds, and the SDK waits for ever where nothing else is set. */
const ANSWERED_MS = 30_000

/** A client of the change stream whose requests end with an error where no answer comes, or none is wanted any more. */
export function answering(streams: Pick<StreamsClient, 'send'>, signal?: AbortSignal): StreamsClient {
  const send = async (command: never): Promise<unknown> => {
    signal?.throwIfAborted()
    const end = new AbortController()
    const give = (): void => end.abort(signal?.reason)
    const late = new LapidaryError('unavailable', `the change stream did not answer in ${ANSWERED_MS / 1_000} seconds`)
    const timer = setTimeout(() => end.abort(late), ANSWERED_MS)
    signal?.addEventListener('abort', give)
    try {
      return await unlessAborted(streams.send(command, { abortSignal: end.signal }), end.signal)
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', give)
    }
  }
  return { send } as StreamsClient
}
