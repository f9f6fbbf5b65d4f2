import { type DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb'
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'

/** Sends a command to the client that is intercepted. */
export type Send = (command: object) => Promise<unknown>

/**
 * Makes a client whose every command goes through a function, which sends the command, sends another, waits, or fails. All faults are made this
 * way; {@link createFaultKit} draws them by seed.
 *
 * @example
 * ```ts
 * let commands = 0
 * const counting = intercepted(client, (command, send) => {
 *   commands += 1
 *   return send(command)
 * })
 * ```
 */
export function intercepted<C extends DynamoDBClient | DynamoDBStreamsClient>(
  client: Pick<C, 'send'>,
  on: (command: object, send: Send) => Promise<unknown>,
): C {
  const { send } = client as { readonly send: (command: object, settings: unknown) => Promise<unknown> }
  return {
    send: (command: object, settings: unknown) => on(command, (sent) => send.call(client, sent, settings)),
    destroy() {},
  } as unknown as C
}

/**
 * Makes a client that runs a function before each query, counted from 1: a write between two rounds, or to abort.
 *
 * @example
 * ```ts run
 * const watched = beforeQueries(client, async (count) => {
 *   if (count === 2) await lapidary.comments.delete('100001')
 * })
 * const watching = createLapidary({ client: watched, tableName, collections: { comments }, cursorSecret })
 * await watching.comments.list({ scope: '42' })
 * ```
 */
export function beforeQueries(
  client: Pick<DynamoDBClient, 'send'>,
  run: (count: number) => Promise<void> | void,
): DynamoDBClient {
  let queries = 0
  return intercepted<DynamoDBClient>(client, async (command, send) => {
    if (command instanceof QueryCommand) await run(++queries)
    return send(command)
  })
}
