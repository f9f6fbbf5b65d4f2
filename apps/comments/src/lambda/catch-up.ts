import { openServices } from './services.ts'

const { services } = openServices(process.env)

/**
 * Runs every few hours: counts what is left in shards in which nothing was written, of which the stream tells no handler, and notes that they were
 * read. Without it a quiet day could not be told from a lost one. It makes what a new declaration lacks, and makes up for what was lost.
 */
export async function handler(): Promise<void> {
  await services.database.stream.catchUp({ heal: true })
}
