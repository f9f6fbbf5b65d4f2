import {
  DeleteItemCommand,
  type DynamoDBClient,
  PutItemCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import { createFaultKit, intercepted, seededRandom } from 'lapidary-testing'
import { describe, expect, it } from 'vitest'
import { testEngines } from '../../../../test/engines/index.ts'
import { countsPartition } from '../derived-keys.ts'
import {
  type MaintenanceSetting,
  maintenanceSetting,
  reviews,
  untilCounted,
  writeAtRandom,
} from './maintenance-setting.ts'

const [engine] = testEngines()
if (engine === undefined) throw new Error('no test engine')

const key = (PK: string, SK: string) => ({ PK: { S: PK }, SK: { S: SK } })

/** Whether a command mends derived data; the fence alone is moved when a repair begins. */
function isMending(command: unknown): boolean {
  return command instanceof TransactWriteItemsCommand && (command.input.TransactItems?.length ?? 0) > 1
}

/** Spoils some counts and leaderboards, by chance. */
async function spoil({ client, tableName: TableName, contents }: MaintenanceSetting, random: () => number) {
  for (const entry of (await contents()).values()) {
    if (entry.PK?.S?.startsWith('~') !== true) continue
    const Key = key(entry.PK.S, entry.SK?.S ?? '')
    const chance = random()
    if (chance < 0.25) await client.send(new DeleteItemCommand({ TableName, Key }))
    else if (chance < 0.5 && entry.PK.S.startsWith('~counts.')) {
      const UpdateExpression = 'ADD count_3 :n'
      const ExpressionAttributeValues = { ':n': { N: String(Math.floor(random() * 9) - 4) } }
      await client.send(new UpdateItemCommand({ TableName, Key, UpdateExpression, ExpressionAttributeValues }))
    }
  }
  await client.send(
    new PutItemCommand({ TableName, Item: { ...key(countsPartition(reviews, 'gone'), 'en'), count_1: { N: '2' } } }),
  )
}

describe('repair and rebuild of a live table', () => {
  it('verify tells no false difference while writers and projections run', async () => {
    await using setting = await maintenanceSetting(engine)
    await using _poller = await setting.poller()
    const stop = new AbortController()
    const writers = [1, 2, 3].map((seed) =>
      writeAtRandom(setting.reviews, seededRandom(seed), 100_000, `w${seed}-`, stop.signal),
    )
    let touched = 0
    for (let round = 0; round < 8 || (touched === 0 && round < 500); round++) {
      const { differences, compared } = await setting.database.derived.verify(setting.options)
      expect(differences).toEqual([])
      touched += compared
    }
    stop.abort()
    await Promise.all(writers)
    expect(touched).toBeGreaterThan(0)
  })

  it('repair under load leaves exact counts, whatever was spoilt', async () => {
    await using setting = await maintenanceSetting(engine)
    await using _poller = await setting.poller()
    const random = seededRandom(7)
    const stop = new AbortController()
    const writers = [4, 5].map((seed) =>
      writeAtRandom(setting.reviews, seededRandom(seed), 100_000, `w${seed}-`, stop.signal),
    )
    for (let round = 0; round < 4; round++) {
      await new Promise((resolve) => setTimeout(resolve, 150))
      await spoil(setting, random)
      const { derived } = setting.database
      const options = { ...setting.options, poll: false }
      const { mended } = await (round % 2 === 0 ? derived.repair(options) : derived.rebuild(undefined, options))
      expect(mended).toBeGreaterThan(0)
      expect((await setting.database.derived.verify(setting.options)).differences).toEqual([])
    }
    stop.abort()
    await Promise.all(writers)
    await untilCounted(() => setting.database.derived.verify(setting.options))
    expect((await setting.database.derived.verify(setting.options)).differences).toEqual([])
  })

  it('killed at any write and run again, ends exact', async () => {
    await using setting = await maintenanceSetting(engine)
    await using _poller = await setting.poller()
    const random = seededRandom(11)
    const stop = new AbortController()
    const writing = writeAtRandom(setting.reviews, seededRandom(12), 100_000, 'k', stop.signal)
    const options = { ...setting.options, poll: false, leaseMs: 240 }
    let deaths = 0
    for (let killAt = 1; killAt <= 10; killAt++) {
      await spoil(setting, random)
      const kit = createFaultKit({ seed: killAt, killAt })
      const dying = setting.through(kit.dynamodb(setting.client)).derived.rebuild(undefined, options)
      const outcome = await dying.catch((error: unknown) => error)
      if (kit.isKilled && outcome instanceof Error) deaths++
      await setting.database.derived.rebuild(undefined, options)
      expect((await setting.database.derived.verify(setting.options)).differences).toEqual([])
    }
    stop.abort()
    await writing
    expect(deaths).toBeGreaterThan(3)
  })

  it.each(['lost', 'late', 'failed'])('counts once when the answer to a repair is %s', async (kind) => {
    await using setting = await maintenanceSetting(engine)
    await writeAtRandom(setting.reviews, seededRandom(1), 60)
    {
      await using _poller = await setting.poller()
      await untilCounted(() => setting.database.derived.verify(setting.options))
    }
    await spoil(setting, seededRandom(3))
    const before = await setting.contents()
    let writes = 0
    let held: (() => Promise<unknown>) | undefined
    const troubled = intercepted<DynamoDBClient>(setting.client, async (command, send) => {
      if (!isMending(command)) return send(command)
      writes++
      if (writes === 1 && kind === 'late') {
        held = () => send(command)
        throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
      }
      // It lands between the look after the lost answer and what is tried then.
      await held?.()
      held = undefined
      const answer = await send(command)
      if (writes > 1 || kind === 'late') return answer
      if (kind === 'failed') throw Object.assign(new Error('internal error'), { name: 'InternalServerError' })
      throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
    })
    const { mended } = await setting.through(troubled).derived.repair({ ...setting.options, poll: false })
    expect(mended).toBeGreaterThan(0)
    expect(writes).toBeGreaterThan(kind === 'lost' ? 0 : 1)
    expect(await setting.contents()).not.toEqual(before)
    expect((await setting.database.derived.verify(setting.options)).differences).toEqual([])
  })

  it('refuses a second one at the same time, and says who is at work', async () => {
    await using setting = await maintenanceSetting(engine)
    await writeAtRandom(setting.reviews, seededRandom(1), 40)
    const first = setting.database.derived.rebuild(undefined, {
      ...setting.options,
      capacity: 20,
      owner: 'first',
      leaseMs: 900,
    })
    await new Promise((resolve) => setTimeout(resolve, 200))
    const second = setting.database.derived.rebuild(undefined, { ...setting.options, owner: 'second', leaseMs: 900 })
    await expect(second).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('first') })
    await first
    await setting.database.derived.rebuild(undefined, { ...setting.options, owner: 'third' })
  })

  it('writes nothing once another process has its lease', async () => {
    await using setting = await maintenanceSetting(engine)
    await writeAtRandom(setting.reviews, seededRandom(1), 40)
    {
      await using _poller = await setting.poller()
      await untilCounted(() => setting.database.derived.verify(setting.options))
    }
    await spoil(setting, seededRandom(3))
    const spoilt = await setting.contents()
    const robbed = intercepted<DynamoDBClient>(setting.client, async (command, send) => {
      if (isMending(command)) {
        const Item = { ...key('~MAINTENANCE', '~'), owner: { S: 'a thief' }, leasedUntil: { N: String(2 ** 45) } }
        await setting.client.send(new PutItemCommand({ TableName: setting.tableName, Item }))
      }
      return send(command)
    })
    const repair = setting.through(robbed).derived.repair({ ...setting.options, poll: false })
    await expect(repair).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('took over') })
    expect(await setting.contents()).toEqual(spoilt)
  })

  it('stops when told to, and can go on', async () => {
    await using setting = await maintenanceSetting(engine)
    await writeAtRandom(setting.reviews, seededRandom(1), 40)
    const stop = new AbortController()
    const stopped = setting.database.derived.rebuild(undefined, {
      ...setting.options,
      capacity: 2,
      signal: stop.signal,
    })
    setTimeout(() => stop.abort(), 200)
    await expect(stopped).rejects.toMatchObject({ code: 'aborted' })
    await setting.database.derived.rebuild(undefined, setting.options)
  })

  it('takes no more capacity a second than it may', async () => {
    await using setting = await maintenanceSetting(engine)
    await writeAtRandom(setting.reviews, seededRandom(1), 60)
    const started = performance.now()
    const { capacity } = await setting.database.derived.verify({ ...setting.options, capacity: 20 })
    const seconds = (performance.now() - started) / 1000
    expect(capacity).toBeLessThan(20 * (seconds + 1) + 20)
  })
})
