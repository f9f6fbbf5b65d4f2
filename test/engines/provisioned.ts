import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Returns a path in the folder of the provision script. A mutation run tests a copy of the repository, and says where the repository is. */
export function provisioned(...path: readonly string[]): string {
  return join(process.env.PROVISIONED_IN ?? fileURLToPath(new URL('../../.cache', import.meta.url)), ...path)
}
