import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { PROMPT_STREAM } from 'lapidary-testing'
import { afterAll, describe, expect, test } from 'vitest'
import { startPlainEngine } from '../../../../test/engines/plain-client.ts'
import { PATIENCE_MS, runHistory } from './history.ts'
import { type HistoryPlan, QUIET } from './history-plan.ts'
import { leftAlone, spoiling, unconditioned } from './spoiling.ts'

const plain = await startPlainEngine()
afterAll(() => plain[Symbol.asyncDispose]())

/** Histories at the same time: most of each is waiting. */
const ABREAST = 12

test('is exact when the process is killed at any one of its write points', async () => {
  const killedAt = async (killAt: number): Promise<boolean> => {
    const { killed = 0 } = await runHistory({ ...plain, seed: 42, plan: QUIET, killAt }).catch((error: unknown) => {
      throw new Error(`killed at write point ${killAt}: ${String(error)}`, { cause: error })
    })
    return killed > 0
  }
  let kills = 0
  for (let from = 1, done = false; !done; from += ABREAST) {
    const killed = await Promise.all(Array.from({ length: ABREAST }, (_, i) => killedAt(from + i)))
    kills += killed.filter(Boolean).length
    done = killed.includes(false)
  }
  expect(kills).toBeGreaterThan(8)
})

describe('a history notices', () => {
  /** Three processes that die and stand still, lost answers, and writes that land late. */
  const ROUGH: HistoryPlan = {
    ...QUIET,
    ...{ behaviour: { ...PROMPT_STREAM, shards: 4 }, pollers: 3, kills: 2, stands: 2, changes: 60, pauseSeconds: 1 },
    rates: { dropped: 0.2, delayed: 0.3, late: 0.1, conflicted: 0.1 },
  }

  /** Why one of so many histories fails; a busy machine counts late, so without a defect there is more patience. */
  async function problem(
    spoil: (client: DynamoDBClient) => DynamoDBClient,
    { most = 200, patienceMs = 15_000 } = {},
  ): Promise<string | undefined> {
    let seed = 1
    let found: string | undefined
    const lanes = Array.from({ length: ABREAST }, async () => {
      while (found === undefined && seed <= most) {
        const history = { ...plain, seed: seed++, plan: ROUGH, spoil, patienceMs }
        await runHistory(history).catch((error: unknown) => {
          found ??= `seed ${history.seed}: ${String(error)}`
        })
      }
    })
    await Promise.all(lanes)
    return found
  }

  const UNCOUNTED = /derived (items|answers) are wrong|not all of .* was counted/

  test('a checkpoint that moves without its condition', async () => {
    const defect = spoiling((write) => write.Update && { Update: unconditioned(write.Update) })
    expect(await problem(defect)).toMatch(UNCOUNTED)
  })

  test('a checkpoint that is not moved with the counts', async () => {
    const defect = spoiling((write) => write.Update && { ConditionCheck: leftAlone(write.Update) })
    expect(await problem(defect)).toMatch(UNCOUNTED)
  })

  test('a count that is replaced without its condition', async () => {
    const defect = spoiling((write) => write.Put && { Put: unconditioned(write.Put) })
    expect(await problem(defect)).toMatch(UNCOUNTED)
  })

  test('nothing, when nothing is spoilt', async () => {
    expect(await problem((given) => given, { most: 15, patienceMs: PATIENCE_MS })).toBeUndefined()
  })
})
