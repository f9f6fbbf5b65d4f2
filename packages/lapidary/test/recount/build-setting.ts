import { createLapidary, type Lapidary, segments } from 'lapidary'
import type { FaultKit } from 'lapidary-testing'
import { afterAll } from 'vitest'
import {
  createTestClient,
  createTestStreams,
  dropTables,
  testEngines,
  uniqueTableName,
} from '../../../../test/engines/index.ts'
import { comments } from '../comments-fixture.ts'

/** A process that counts comments and numbers their pages. */
export type BuildProcess = Lapidary<{ readonly comments: typeof comments }>

/** A table, and processes that know nothing of each other. */
export interface BuildWorld {
  open(faults?: FaultKit): BuildProcess
  /** The transactions that its processes have sent. */
  transactions(): number
}

/** Makes tables for the tests of a file, on one engine, and drops them after these. */
export function buildSetting() {
  const [engine] = testEngines()
  if (engine === undefined) throw new Error('no engine')
  const [client, streams] = [createTestClient(engine), createTestStreams(engine)]
  const tableNames: string[] = []
  afterAll(() => dropTables(client, tableNames))
  return {
    streams,
    world(): BuildWorld {
      const tableName = uniqueTableName()
      tableNames.push(tableName)
      let transactions = 0
      const counted = {
        send(command: object, options?: object) {
          if (command.constructor.name === 'TransactWriteItemsCommand') transactions += 1
          return client.send(command as never, options)
        },
      } as unknown as typeof client
      return {
        open: (faults) =>
          createLapidary({
            ...{ client: faults?.dynamodb(counted) ?? counted, tableName, collections: { comments } },
            ...{ cursorSecret: 'a secret of the tests', derived: { counts: true, pages: segments() } },
            stream: { client: faults?.streams(streams) ?? streams, immediate: true },
          }),
        transactions: () => transactions,
      }
    },
  }
}
