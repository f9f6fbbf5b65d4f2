import { setTimeout as sleep } from 'node:timers/promises'
import { ScanCommand, TransactGetItemsCommand, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { expect, test } from 'vitest'
import { type CountedTable, countedTable } from '../../test/memory-items/counted-table.ts'
import { type MendOptions, rebuild, repair } from './mend.ts'
import { verify } from './verify.ts'

/** A minute passes in three seconds: what waits for nothing gives up. */
const started = Date.now()
const clock = (): number => started + 20 * (Date.now() - started)
const quick: MendOptions = { idleMs: 1, poll: false }

const LATE_MS = 30

/** While derived data is read, the shard is closed, and Lambda counts in the next one; a process that reads hears of the end later. */
async function passedOver(how: 'the end is late' | 'a change and the end are late'): Promise<CountedTable> {
  let isOpen = 's'
  let isScanned = false
  let heard = Promise.resolve()
  const table: CountedTable = countedTable({
    clock,
    shardOf: () => isOpen,
    async before(command) {
      if (command instanceof ScanCommand && !isScanned) {
        isScanned = true
        await table.write('5', 'q')
        await table.count()
      }
      if (command.constructor.name !== 'TransactGetItemsCommand' || isOpen === 't') return
      const close = (): void => void Object.assign(table.shards[0] ?? {}, { closed: true })
      if (how === 'the end is late') void sleep(LATE_MS).then(close)
      else {
        heard = sleep(LATE_MS)
        await table.write('5', 'r')
        close()
      }
      isOpen = 't'
      table.shards.push({ shardId: 't', parent: 's', records: [] })
      await table.write('9', 'q')
      await table.count()
    },
  })
  await table.write('1', 'q')
  await table.write('2', 'q')
  await table.write('3', 'r')
  await table.write('4', 'q', 'b')
  await table.count()
  const { streams } = table.derived
  const late = { send: (command: never) => heard.then(() => streams.send(command)) } as typeof streams
  return { ...table, derived: { ...table.derived, streams: late } }
}

const HOW = [
  ['the end is late', { count_q: 4, count_r: 1 }],
  ['a change and the end are late', { count_q: 3, count_r: 2 }],
] as const

test.each(HOW)('what Lambda counts of the next shard is no difference where %s', async (how, right) => {
  const { derived, counts } = await passedOver(how)
  expect(await verify(derived, quick)).toMatchObject({ differences: [], compared: 1, items: 5 })
  expect(counts()).toEqual(right)
})

test.each(HOW)('what Lambda counts of the next shard is mended once where %s', async (how, right) => {
  for (const mend of [repair, rebuild]) {
    const { derived, counts, spoil } = await passedOver(how)
    spoil('b', { count_q: 7 })
    expect(await mend(derived, quick)).toMatchObject({ mended: 1, differenceCount: 1 })
    expect([counts('a'), counts('b')]).toEqual([right, { count_q: 1 }])
  }
})

test('what seems right, since Lambda counted in the next shard as much as there lacked, is mended', async () => {
  for (const mend of [repair, rebuild]) {
    const { derived, counts, spoil } = await passedOver('the end is late')
    spoil('a', { count_q: 1 })
    expect(await mend(derived, quick)).toMatchObject({ mended: 1 })
    expect(counts()).toEqual({ count_q: 4, count_r: 1 })
  }
})

/** How many snapshots there were at each write of a repair of scopes that are all wrong. */
async function writesAfter(scopes: number, snapshotMs: number): Promise<readonly number[]> {
  let late = 0
  let snapshots = 0
  const written = new Set<number>()
  const { derived, write, count, spoil } = countedTable({
    clock,
    before(command) {
      if (command instanceof TransactGetItemsCommand) {
        late += snapshotMs
        snapshots += 1
      }
      if (command instanceof TransactWriteItemsCommand && snapshots > 0) written.add(snapshots)
    },
  })
  for (let i = 0; i < scopes; i++) {
    await write(`${i}`, 'q', `scope ${i}`)
    if (i === 0) await count()
    spoil(`scope ${i}`, { count_q: 7 })
  }
  expect(await repair({ ...derived, now: () => clock() + late }, quick)).toMatchObject({ mended: scopes })
  return [...written]
}

test('what differs is mended after half a minute, before there are more snapshots', async () => {
  expect(await writesAfter(250, 0)).toEqual([3])
  expect(await writesAfter(250, 31_000)).toEqual([1, 2, 3])
})
