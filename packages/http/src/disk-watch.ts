import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { isDiskFull } from 'lapidary'
import type { ReadinessChecks } from './health-routes.ts'

const WRITES = /^(Put|Update|Delete|BatchWrite|TransactWrite)/

/** Notices when the database has no room to write, and when it has again. It needs no probe: the runner renews its leases all the time. */
export function watchDisk(client: DynamoDBClient): ReadinessChecks[string] {
  let full = false
  client.middlewareStack.add(
    (next, context) => async (args) => {
      try {
        const result = await next(args)
        if (WRITES.test(String(context.commandName))) full = false
        return result
      } catch (error) {
        if (isDiskFull(error)) full = true
        throw error
      }
    },
    { step: 'initialize', name: 'watchDisk' },
  )
  return async () => (full ? { ok: false, reason: 'the disk of the database is full' } : { ok: true })
}
