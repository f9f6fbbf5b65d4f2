import type { StreamEvent, StreamEventResponse } from 'lapidary'
import { type FunctionConfig, openDatabase } from './open-database.ts'

/**
 * Makes the function that keeps counts, leaderboards and page numbers, from the change stream of the table.
 *
 * @example
 * ```ts
 * export const handler = streamHandler({ collections: { comments } })
 * ```
 */
export function streamHandler(config: FunctionConfig): (event: StreamEvent) => Promise<StreamEventResponse> {
  return openDatabase(config).stream.handler({
    onError: (error, shardId) => console.error(shardId, error),
    onDeadLetter: (letter) => console.error('a change could not be counted; a repair makes it good', letter),
  })
}
