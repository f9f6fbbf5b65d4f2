import { DeleteItemCommand, type DynamoDBClient, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { rebuildStatistics, repairStatistics, verifyStatistics } from 'lapidary'
import { seededRandom } from 'lapidary/testing'
import { describe, expect, it } from 'vitest'
import { testEngines } from '../../../../test/engines/index.ts'
import { type MaintenanceSetting, maintenanceSetting, untilCounted, writeAtRandom } from './maintenance-setting.ts'

const [engine] = testEngines()
if (engine === undefined) throw new Error('no test engine')

const key = (PK: string, SK: string) => ({ PK: { S: PK }, SK: { S: SK } })

/** Spoils some counts and leaderboards, by chance. */
async function spoil({ client, tableName: TableName, contents }: MaintenanceSetting, random: () => number) {
  for (const entry of (await contents()).values()) {
    if (entry.PK?.S?.startsWith('~') !== true) continue
    const Key = key(entry.PK.S, entry.SK?.S ?? '')
    const chance = random()
    if (chance < 0.25) await client.send(new DeleteItemCommand({ TableName, Key }))
    else if (chance < 0.5 && entry.PK.S.startsWith('~counts#')) {
      const UpdateExpression = 'ADD count_3 :n'
      const ExpressionAttributeValues = { ':n': { N: String(Math.floor(random() * 9) - 4) } }
      await client.send(new UpdateItemCommand({ TableName, Key, UpdateExpression, ExpressionAttributeValues }))
    }
  }
  await client.send(
    new PutItemCommand({ TableName, Item: { ...key('~counts#REVIEW#gone', 'en'), count_1: { N: '2' } } }),
  )
}

/** A client that dies at its n-th write: before the write, or after it was done. Dead, it does nothing any more. */
function mortal(
  client: DynamoDBClient,
  dieAt: number,
  after: boolean,
): { client: DynamoDBClient; died: () => boolean } {
  let writes = 0
  let dead = false
  const send = async (command: { constructor: { name: string } }, ...rest: never[]): Promise<unknown> => {
    const isWrite = /^(TransactWrite|Put|Update|Delete)/.test(command.constructor.name)
    if (dead) throw new Error('dead')
    if (isWrite && ++writes === dieAt) {
      dead = true
      if (after) await client.send(command as never, ...rest)
      throw new Error('dead')
    }
    return client.send(command as never, ...rest)
  }
  return { client: { send } as unknown as DynamoDBClient, died: () => dead }
}

describe('repair and rebuild of a live table', () => {
  it('verify tells no false difference while writers and projections run', async () => {
    await using setting = await maintenanceSetting(engine)
    await using _poller = setting.poller()
    const stop = new AbortController()
    const writers = [1, 2, 3].map((seed) =>
      writeAtRandom(setting.reviews, seededRandom(seed), 100_000, `w${seed}-`, stop.signal),
    )
    let touched = 0
    for (let round = 0; round < 8; round++) {
      const { differences, compared } = await verifyStatistics([setting.reviews], setting.options)
      expect(differences).toEqual([])
      touched += compared
    }
    stop.abort()
    await Promise.all(writers)
    expect(touched).toBeGreaterThan(0)
  })

  it('repair under load leaves exact counts, whatever was spoilt', async () => {
    await using setting = await maintenanceSetting(engine)
    await using _poller = setting.poller()
    const random = seededRandom(7)
    const stop = new AbortController()
    const writers = [4, 5].map((seed) =>
      writeAtRandom(setting.reviews, seededRandom(seed), 100_000, `w${seed}-`, stop.signal),
    )
    for (let round = 0; round < 4; round++) {
      await new Promise((resolve) => setTimeout(resolve, 150))
      await spoil(setting, random)
      const repair = round % 2 === 0 ? repairStatistics : rebuildStatistics
      const { mended } = await repair([setting.reviews], { ...setting.options, poll: false })
      expect(mended).toBeGreaterThan(0)
      expect((await verifyStatistics([setting.reviews], setting.options)).differences).toEqual([])
    }
    stop.abort()
    await Promise.all(writers)
    await untilCounted(() => verifyStatistics([setting.reviews], setting.options))
    expect((await verifyStatistics([setting.reviews], setting.options)).differences).toEqual([])
  })

  it('killed at any write and run again, ends exact', async () => {
    await using setting = await maintenanceSetting(engine)
    await using _poller = setting.poller()
    const random = seededRandom(11)
    const stop = new AbortController()
    const writing = writeAtRandom(setting.reviews, seededRandom(12), 100_000, 'k', stop.signal)
    const options = { ...setting.options, poll: false, leaseMs: 240 }
    let deaths = 0
    for (let dieAt = 1; dieAt <= 5; dieAt++) {
      for (const after of [false, true]) {
        await spoil(setting, random)
        const { client, died } = mortal(setting.client, dieAt, after)
        const outcome = await rebuildStatistics([setting.through(client)], options).catch((error: unknown) => error)
        if (died() && outcome instanceof Error) deaths++
        await rebuildStatistics([setting.reviews], options)
        expect((await verifyStatistics([setting.reviews], setting.options)).differences).toEqual([])
      }
    }
    stop.abort()
    await writing
    expect(deaths).toBeGreaterThan(3)
  }, 600_000)

  it('counts once when the answer to a repair is lost', async () => {
    await using setting = await maintenanceSetting(engine)
    await writeAtRandom(setting.reviews, seededRandom(1), 60)
    {
      await using _poller = setting.poller()
      await untilCounted(() => verifyStatistics([setting.reviews], setting.options))
    }
    await spoil(setting, seededRandom(3))
    let lost = 0
    const send = async (command: { constructor: { name: string } }, ...rest: never[]): Promise<unknown> => {
      const answer = await setting.client.send(command as never, ...rest)
      if (command.constructor.name !== 'TransactWriteItemsCommand' || lost >= 1) return answer
      lost++
      throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
    }
    const lossy = setting.through({ send } as unknown as DynamoDBClient)
    await repairStatistics([lossy], { ...setting.options, poll: false })
    expect(lost).toBe(1)
    expect((await verifyStatistics([setting.reviews], setting.options)).differences).toEqual([])
  })

  it('refuses a second one at the same time, and says who is at work', async () => {
    await using setting = await maintenanceSetting(engine)
    await writeAtRandom(setting.reviews, seededRandom(1), 40)
    const first = rebuildStatistics([setting.reviews], {
      ...setting.options,
      settleMs: 3_000,
      owner: 'first',
      leaseMs: 900,
    })
    await new Promise((resolve) => setTimeout(resolve, 200))
    const second = rebuildStatistics([setting.reviews], { ...setting.options, owner: 'second', leaseMs: 900 })
    await expect(second).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('first') })
    await first
    await rebuildStatistics([setting.reviews], { ...setting.options, owner: 'third' })
  })

  it('stops when told to, and can go on', async () => {
    await using setting = await maintenanceSetting(engine)
    await writeAtRandom(setting.reviews, seededRandom(1), 40)
    const stop = new AbortController()
    const stopped = rebuildStatistics([setting.reviews], { ...setting.options, settleMs: 60_000, signal: stop.signal })
    setTimeout(() => stop.abort(), 200)
    await expect(stopped).rejects.toMatchObject({ code: 'aborted' })
    await rebuildStatistics([setting.reviews], setting.options)
  })

  it('takes no more capacity a second than it may', async () => {
    await using setting = await maintenanceSetting(engine)
    await writeAtRandom(setting.reviews, seededRandom(1), 60)
    const started = performance.now()
    const { capacity } = await verifyStatistics([setting.reviews], { ...setting.options, capacity: 20 })
    const seconds = (performance.now() - started) / 1000
    expect(capacity).toBeLessThan(20 * (seconds + 1) + 20)
  })
})
