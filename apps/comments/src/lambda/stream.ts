import { openServices } from './services.ts'

const { services } = openServices(process.env)

/** Keeps counts, leaderboards and page numbers, from the change stream of the table. */
export const handler = services.database.stream.handler({
  onError: (error, shardId) => console.error(shardId, error),
  onDeadLetter: (letter) => console.error('a change could not be counted; a repair makes it good', letter),
})
