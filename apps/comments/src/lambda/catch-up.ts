import { followingFunction, type Invocation } from './invocation.ts'
import { openServices } from './services.ts'

const functionServices = await openServices(process.env)
const { stream } = functionServices.services.database

/**
 * Runs every few hours. It counts what is left in shards without new writes, which the stream shows to no handler, and notes that they were
 * read. Without it a quiet day could not be told from a lost one. It also makes what a new declaration lacks, and makes up for lost changes.
 */
export const handler: (event: unknown, invocation: Invocation) => Promise<void> = followingFunction(
  functionServices,
  () => stream.catchUp({ heal: true }),
)
