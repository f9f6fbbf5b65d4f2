import { LapidaryError } from '../model/errors.ts'
import { databaseError } from '../table/database-error.ts'
import { isPassing, meaningOf } from '../table/error-meaning.ts'
import { Again, retrying, type Waiting } from '../table/retrying.ts'
import { skipSilentLog } from '../table/silent-log.ts'
import type { StreamsClient } from './streams-client.ts'
import { unlessAborted } from './unless-aborted.ts'

/** A stream answers within seconds, and the SDK waits for ever where nothing else is set. */
const ANSWERED_MS = 30_000
const MAX_ATTEMPTS = 6

/** How the change stream is asked. */
export interface AnsweringSettings {
  /** Ends each request. */
  readonly signal?: AbortSignal | undefined
  /** What a pause before the next try takes; without it there is one try. */
  readonly waiting?: Waiting
}

/**
 * The seam to the change stream: a client whose requests end with an error where no answer comes, or none is wanted any more. What passes is
 * tried again with full jitter; its errors have codes, but for those that tell of the stream itself.
 */
export function answering(
  streams: Pick<StreamsClient, 'send'>,
  { signal, waiting }: AnsweringSettings = {},
): StreamsClient {
  const ask = async (command: never, abortSignal: AbortSignal): Promise<unknown> => {
    try {
      return await streams.send(command, { abortSignal })
    } catch (error) {
      const isOver = abortSignal.aborted || waiting === undefined || !isPassing(error)
      if (isOver) throw error
      return new Again(error)
    }
  }
  const gaveUp = (_: number, cause: unknown): never => {
    throw cause
  }
  const send = async (command: never): Promise<unknown> => {
    signal?.throwIfAborted()
    skipSilentLog(command)
    const end = new AbortController()
    const give = (): void => end.abort(signal?.reason)
    const late = new LapidaryError('unavailable', `the change stream did not answer in ${ANSWERED_MS / 1_000} seconds`)
    const timer = setTimeout(() => end.abort(late), ANSWERED_MS)
    signal?.addEventListener('abort', give)
    try {
      const attempt = (): Promise<unknown> => ask(command, end.signal)
      const asked = waiting === undefined ? attempt() : retrying(waiting, { most: MAX_ATTEMPTS, gaveUp }, attempt)
      return await unlessAborted(asked, end.signal)
    } catch (error) {
      throw end.signal.aborted ? error : told(error)
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', give)
    }
  }
  return { send } as StreamsClient
}

/** A shard that the stream has forgotten is absent, as is a stream: that is no word on the table. */
function told(error: unknown): unknown {
  return meaningOf(error) === 'absent' ? error : (databaseError(error, 'the change stream') ?? error)
}
