import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { GetItemCommand } from '@aws-sdk/client-dynamodb'
import { seededRandom } from 'lapidary-testing'
import { drawDeclaration, OWN, PARENTS, SIZES, STATES, TAGS, type Thing } from './drawn-declaration.ts'
import { type Observation, type SharedTable, Version } from './version.ts'

/** A process waits for seconds, by a clock that goes this much faster. */
export const FASTER = 10
const PATIENCE_MS = 30_000
const AWS_PATIENCE_MS = 240_000
const NO_ITEM = { PK: { S: '~none' }, SK: { S: '~' } }

type Action = 'write' | 'wait' | 'start' | 'stop' | 'kill' | 'check' | 'repair' | 'rebuild'
const WHILE_COUNTING: readonly Action[] = [
  ...(['write', 'write', 'write', 'wait', 'wait', 'check', 'check', 'check'] as const),
  ...(['stop', 'kill', 'repair', 'rebuild'] as const),
]
const WHILE_AWAY: readonly Action[] = ['write', 'start', 'start', 'start']

/** How often something was seen. */
export interface Seen {
  readonly known: number
  readonly unknown: number
}

/**
 * Lets two versions of a declaration write, count, begin, end and die in any order, on one table. Whatever a version says once all is
 * counted is the truth, or that it does not know; and once the other version has ended, it knows all.
 *
 * @throws {Error} That names what was said, by which version.
 */
export async function runTwoVersions(table: SharedTable, seed: number): Promise<Seen> {
  const random = seededRandom(seed)
  const draw = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
  const declarations = [drawDeclaration(draw, { ownProjection: true }), drawDeclaration(draw, { ownProjection: true })]
  const about = declarations.map(({ text }) => text).join(' | ')
  const items = new Map<string, Thing>()
  const log: string[] = []
  let [known, unknown, made] = [0, 0, 0]
  const versions = declarations.map((declaration) => new Version(table, declaration))
  const at = (i: number): Version => versions[i] as Version
  const renew = (i: number): void => {
    versions[i] = new Version(table, declarations[i] as (typeof declarations)[number])
  }

  async function write(writer: Version): Promise<void> {
    const kind = items.size === 0 ? 'create' : draw(['create', 'create', 'patch', 'delete'])
    if (kind === 'create') {
      const id = String(++made)
      const thing = { id, parent: draw(PARENTS), at: `2024-01-01T00:00:0${draw([0, 1])}.000Z`, ...values() }
      await writer.things.create(thing as never)
      items.set(id, thing)
      return
    }
    const thing = draw([...items.values()])
    if (kind === 'delete') {
      await writer.things.delete(thing.id)
      items.delete(thing.id)
    } else {
      const changes = values()
      await writer.things.patch(thing.id, changes as never)
      items.set(thing.id, { ...thing, ...changes })
    }
  }

  function values(): Omit<Thing, 'id' | 'parent' | 'at'> {
    const tags = draw([[], [TAGS[0]], [TAGS[1]], [...TAGS]])
    return { state: draw(STATES), size: draw(SIZES), own: draw(OWN), tags }
  }

  /** Undefined where no process counts. */
  async function untilCounted(): Promise<boolean> {
    if (table.stream !== 'immediate') await sleep(2 * table.stream.lateMs)
    const since = table.clock()
    const until = Date.now() + PATIENCE_MS
    while (Date.now() < until) {
      const counting = versions.filter(({ isCounting }) => isCounting)
      if (counting.length === 0) return false
      const statuses = counting.flatMap((version) => version.status() ?? [])
      if (statuses.some(({ caughtUpAt = 0 }) => caughtUpAt > since)) return true
      // Each may have some of the shards.
      const shards = statuses.flatMap((status) => status.shards)
      const isCounted = (id: string): boolean =>
        shards.some(({ shardId, caughtUpAt = 0 }) => shardId === id && caughtUpAt > since)
      const all = statuses.flatMap((status) => [...status.others, ...status.shards.map(({ shardId }) => shardId)])
      if (all.length > 0 && all.every(isCounted)) return true
      await sleep(5)
    }
    const statuses = JSON.stringify(versions.map((version) => version.status()))
    const errors = versions.flatMap((version) => version.errors.map(String)).join('; ')
    throw new Error(`${about}: nothing was counted for long: ${statuses}; ${errors}; ${log.join(', ')}`)
  }

  /** Checks the answers. No process can tell what a stream will still bring that is late and gives empty reads before there is more. */
  async function check(version: Version, mustKnow: boolean): Promise<readonly Observation[]> {
    const until = Date.now() + PATIENCE_MS
    for (;;) {
      try {
        return await checkOnce(version, mustKnow)
      } catch (error) {
        if (table.stream === 'immediate' || Date.now() > until) throw error
        await sleep(50)
      }
    }
  }

  async function checkOnce(version: Version, mustKnow: boolean): Promise<readonly Observation[]> {
    // The process may still go by what it read a second ago by its clock, and reads may be behind by some commands.
    await sleep(1_100 / FASTER)
    for (let i = 0; i < 10; i++)
      await table.client.send(new GetItemCommand({ TableName: table.tableName, Key: NO_ITEM }))
    const observed = await version.observe([...items.values()])
    for (const { what, said, truth } of observed) {
      if (said === null) unknown++
      else if (isDeepStrictEqual(said, truth)) known++
      else {
        const which = versions.indexOf(version)
        const told = `${what} is said to be ${JSON.stringify(said)}, and is ${JSON.stringify(truth)}`
        throw new Error(`seed ${seed}: version ${which}: ${told}; ${about}; ${log.join(', ')}`)
      }
    }
    return mustKnow ? observed.filter(({ said }) => said === null) : []
  }

  try {
    await at(0).create()
    await at(0).start()
    for (let step = 0; step < 16; step++) {
      const which = draw([0, 1])
      const version = at(which)
      const action = draw<Action>(version.isCounting ? WHILE_COUNTING : WHILE_AWAY)
      log.push(`${action} ${which}`)
      if (action === 'start') await version.start()
      else if (action === 'stop') {
        await version.stop()
        renew(which)
      } else if (action === 'kill') {
        version.kill()
        renew(which)
      } else if (action === 'wait') await sleep(700)
      else if (action === 'repair' || action === 'rebuild') await version.mend(action)
      else if (action === 'write') {
        for (let i = draw([1, 3, 8]); i > 0; i--) await write(version)
      } else if (await untilCounted()) for (const each of versions) await check(each, false)
    }
    // The last one that is at work knows everything, within seconds.
    const last = draw([0, 1])
    log.push(`last ${last}`)
    for (const version of versions) await version.stop()
    renew(last)
    await at(last).start()
    await write(at(last))
    // A wait for AWS takes as long here as there.
    const until = Date.now() + (table.stream === 'immediate' ? PATIENCE_MS : AWS_PATIENCE_MS)
    for (;;) {
      await untilCounted()
      const left = await check(at(last), true)
      if (left.length === 0) return { known, unknown }
      if (Date.now() > until) {
        const states = JSON.stringify(await at(last).states())
        const errors = at(last).errors.map(String).join('; ')
        throw new Error(
          `seed ${seed}: ${left[0]?.what} is not known for long: ${states}; ${errors}; ${about}; ${log.join(', ')}`,
        )
      }
      await sleep(100)
    }
  } finally {
    for (const version of versions) await version.stop()
  }
}
