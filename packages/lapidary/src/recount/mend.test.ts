import { PutItemCommand, QueryCommand, ScanCommand, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import {
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  type GetRecordsCommandOutput,
} from '@aws-sdk/client-dynamodb-streams'
import { intercepted } from 'lapidary-testing'
import { expect, test } from 'vitest'
import { countedTable, itemKey, values } from '../../test/memory-items/counted-table.ts'
import type { CopyProjection } from '../derived/copy-projection.ts'
import { keyEntry } from '../derived/guarded-write.ts'
import type { SumProjection } from '../derived/sum-projection.ts'
import { noteGap, readCheckpoint } from '../stream/checkpoint.ts'
import { DEAD_LETTER_PARTITION, deadLetterWrite, listDeadLetters } from '../stream/dead-letters.ts'
import { type Poller, startPoller } from '../stream/poller.ts'
import { createRunner } from '../stream/runner.ts'
import { type MendOptions, rebuild, repair } from './mend.ts'
import { verify } from './verify.ts'

/** A minute passes in three seconds: what waits for nothing gives up. */
const started = Date.now()
const clock = (): number => started + 20 * (Date.now() - started)
const quick: MendOptions = { idleMs: 30, poll: false }

/** An older program, which can't count what is in `new`. */
const older: SumProjection = {
  ...values,
  contributions(image) {
    if (image.scope?.S === 'new') throw new TypeError('a scope that is not known')
    return values.contributions(image)
  },
}

test.each([
  ['repair', repair, 's'],
  ['repair', repair, 't'],
  ['rebuild', rebuild, 's'],
  ['rebuild', rebuild, 't'],
] as const)('a %s forgets no dead letter of what it has not read', async (_, mend, shardId) => {
  let open = 's'
  let isLate = true
  const table = countedTable({
    clock,
    shardOf: () => open,
    async before(command) {
      if (!isLate || !(command instanceof QueryCommand)) return
      if (!JSON.stringify(command.input).includes(DEAD_LETTER_PARTITION)) return
      isLate = false
      if (shardId === 't') {
        Object.assign(table.shards[0] ?? {}, { closed: true })
        table.shards.push({ shardId, parent: 's', records: [] })
        open = shardId
      }
      await table.write('9', 'q', 'new')
      await table.count({ projections: [older] })
    },
  })
  const { derived, items, write, count, counts } = table
  await write('1', 'q')
  await count()
  const { deadLettersForgotten } = await mend(derived, quick)
  expect(counts('new')).toEqual({ count_q: 1 })
  expect([isLate, deadLettersForgotten, (await listDeadLetters(items)).length]).toEqual([false, 1, 0])
})

test('a rebuild leaves a gap to copies that lack what was lost, and a repair makes it up', async () => {
  const { derived, items, write, count } = countedTable({ clock })
  await write('1', 'q')
  await count()
  await noteGap(items, 's', undefined)
  const cache: CopyProjection = { name: 'cache', collection: 'X', isItem: () => true, apply: async () => {} }
  expect(await rebuild({ ...derived, projections: [...derived.projections, cache] }, quick)).toMatchObject({
    gaps: ['s'],
    gapsCleared: 0,
  })
  expect(await repair({ ...derived, projections: [...derived.projections, cache] }, quick)).toMatchObject({
    gaps: [],
    gapsCleared: 1,
  })
  await noteGap(items, 's', undefined)
  expect(await rebuild(derived, quick)).toMatchObject({ gaps: [], gapsCleared: 1 })
  expect((await readCheckpoint(items, 's')).gap).toBe(false)
})

test('a gap that is noted of what is read already is made up for once the runner is past it, and not before', async () => {
  let scans = 0
  let emptyReads = 0
  let open = (): void => {}
  let gate: Promise<void> | undefined
  let poller: Poller | undefined
  const table = countedTable({
    async before(command) {
      if (command instanceof TransactWriteItemsCommand && JSON.stringify(command.input).includes('~STREAM#')) await gate
      if (!(command instanceof ScanCommand) || scans++ > 0) return
      const { items, shards, derived } = table
      // The log has read all. It is trimmed, and a poller that finds that stands still before it counts what is left.
      const before = emptyReads
      await expect.poll(() => emptyReads).toBeGreaterThan(before + 1)
      const [shard] = shards
      const kept = shard?.records.findIndex(({ dynamodb }) => dynamodb?.Keys?.PK?.S === 'X#5') ?? 0
      const trimmedTo = shard?.records[kept - 1]?.dynamodb?.SequenceNumber ?? ''
      Object.assign(shard ?? {}, { trimmedTo })
      shard?.records.splice(0, kept)
      gate = new Promise((resolve) => {
        open = resolve
      })
      const runner = createRunner({ table: items, projections: [values] })
      poller = startPoller({ streams: derived.streams, runner, idleMs: 1, gatherMs: 1 })
      await expect.poll(async () => (await readCheckpoint(items, 's')).gap).toBe(true)
      // When the repair waits for it.
      setTimeout(() => open(), 1_000)
    },
  })
  const { derived, items, write, count, counts } = table
  await write('1', 'q')
  await count()
  for (const id of ['2', '3', '4', '5']) await write(id, 'q')
  const streams = intercepted<DynamoDBStreamsClient>(derived.streams, async (command, send) => {
    const answer = await send(command)
    if (command instanceof GetRecordsCommand && (answer as GetRecordsCommandOutput).Records?.length === 0) emptyReads++
    return answer
  })
  await repair({ ...derived, streams }, { idleMs: 1, poll: false })
  await poller?.close()
  expect([counts(), (await readCheckpoint(items, 's')).gap]).toEqual([{ count_q: 5 }, false])
})

test('a repair takes over from a process that died with a clock that was a day ahead, and can be stopped while it waits', async () => {
  const died = () => {
    const table = countedTable({ clock })
    const owner = { owner: { S: 'dead' }, leaseMs: { N: '60' }, leasedUntil: { N: String(clock() + 86_400_000) } }
    table.items.put({ ...keyEntry({ PK: '~MAINTENANCE', SK: '~' }), ...owner })
    return table
  }
  expect(await repair(died().derived, { ...quick, leaseMs: 60 })).toMatchObject({ mended: 0 })
  const older = died()
  const { leaseMs: _, ...held } = older.items.get({ PK: '~MAINTENANCE', SK: '~' }) ?? {}
  older.items.put(held)
  const signal = AbortSignal.timeout(100)
  await expect(repair(older.derived, { ...quick, leaseMs: 60, signal })).rejects.toMatchObject({ code: 'aborted' })
})

test('a verify that is stopped leaves no probes, however little it may write a second', async () => {
  const stop = new AbortController()
  let probes = 0
  const { derived, items, write, count } = countedTable({
    clock,
    before(command) {
      if (!(command instanceof PutItemCommand) || !JSON.stringify(command.input).includes('~PROBE')) return
      probes += 1
      if (probes === 12) stop.abort()
    },
  })
  await write('1', 'q')
  await count()
  await expect(verify(derived, { ...quick, capacity: 20, signal: stop.signal })).rejects.toMatchObject({
    code: 'aborted',
  })
  await expect.poll(() => items.entries.filter(({ PK }) => PK?.S?.startsWith('~PROBE'))).toEqual([])
})

test('a dead letter of a copy that other processes declare stays for them', async () => {
  const { derived, items, write, count } = countedTable()
  await write('1', 'q')
  await count()
  const letter = { key: itemKey('1'), shardId: 's', sequenceNumber: '1000', at: 1, reason: 'r', refusedBy: ['cache'] }
  await items.send(new TransactWriteItemsCommand({ TransactItems: [deadLetterWrite(items, letter)] }))
  expect(await repair(derived, quick)).toMatchObject({ deadLettersForgotten: 0, deadLetters: 1 })
  const cache: CopyProjection = { name: 'cache', collection: 'X', isItem: () => true, apply: async () => {} }
  expect(await repair({ ...derived, projections: [...derived.projections, cache] }, quick)).toMatchObject({
    deadLettersForgotten: 1,
    deadLetters: 0,
  })
})

test('what has no key in the table is counted nowhere, also where the runner has nothing to write of it', async () => {
  const long = 'x'.repeat(1_100)
  const twice: SumProjection = {
    ...values,
    contributions: ({ v, scope }) =>
      [`scope ${scope?.S}`, `value ${v?.S}`].map((SK) => ({
        target: { PK: '~values#X#a', SK },
        amounts: { count_all: 1 },
      })),
  }
  const { derived, write, count } = countedTable({ clock, projections: [twice] })
  await write('1', long, 'en')
  await count()
  await write('1', long, 'de')
  await count()
  expect(await verify(derived, quick)).toMatchObject({ differences: [], uncountable: 1, deadLetters: 2 })
})
