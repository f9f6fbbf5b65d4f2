import { setTimeout as sleep } from 'node:timers/promises'
import { pageMarkers, segments, tableFor } from 'lapidary'
import { describeSortedListsConformance } from 'lapidary-testing'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { createTable } from '../../packages/lapidary/src/schema/create-table.ts'
import { createTableClient } from '../../packages/lapidary/src/table/table-client.ts'
import { comments } from '../../packages/lapidary/test/comments-fixture.ts'
import { pairs } from '../engines/draws.ts'
import { createSdkClient, dropTables, testEngines, uniqueTableName } from '../engines/index.ts'
import { hostile, SEED, TIMES } from './hostile-engine.ts'

// Both stores are held without faults on both engines elsewhere.
for (const [engine, store] of pairs(testEngines(), [segments(), pageMarkers({ every: 75 })])) {
  const client = createSdkClient(await hostile(engine))
  const tableName = uniqueTableName()
  const table = createTableClient({ client, tableName, random: Math.random, sleep: (ms) => sleep(ms) })
  let opened = 0
  beforeAll(() => createTable(client, tableFor({ tableName, collections: { comments } })))
  afterAll(() => dropTables(client, [tableName]))
  describeSortedListsConformance({
    ...{ name: `${store.name} in ${engine.name}, in a hostile environment`, describe, it },
    ...{ seed: SEED, runs: TIMES, most: 1_200, timeout: 300_000 * TIMES },
    open: async () => store.open({ table, namespace: `T${opened++}`, clock: Date.now }),
  })
}
