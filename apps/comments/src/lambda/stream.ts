import type { StreamEvent, StreamEventResponse } from 'lapidary'
import { followingFunction, type Invocation } from './invocation.ts'
import { openServices } from './services.ts'

const functionServices = await openServices(process.env)
const { logger, services } = functionServices

/** Keeps counts, leaderboards and page numbers, from the change stream of the table. */
export const handler: (event: StreamEvent, invocation: Invocation) => Promise<StreamEventResponse> = followingFunction(
  functionServices,
  services.database.stream.handler({
    onError: (err, shardId) => logger.error({ err, shardId }, 'a batch, or the rest of it, will be delivered again'),
    onDeadLetter: (letter) => logger.error({ letter }, 'a change could not be counted; a repair makes it good'),
  }),
)
