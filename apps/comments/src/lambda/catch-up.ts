import { openServices } from './services.ts'

const { services } = openServices(process.env)

/**
 * Runs every few hours. It counts what is left in shards without new writes, which the stream shows to no handler, and notes that they were
 * read. Without it a quiet day could not be told from a lost one. It also makes what a new declaration lacks, and makes up for lost changes.
 */
export async function handler(): Promise<void> {
  await services.database.stream.catchUp({ heal: true })
}
