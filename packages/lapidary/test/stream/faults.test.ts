import { chosenSeed, drawFaultRates, type FaultKind, seededRandom } from 'lapidary/testing'
import { expect, test } from 'vitest'
import { startBareEngine } from '../../../../test/engines/bare-engine.ts'
import { testEngines } from '../../../../test/engines/index.ts'
import { faultRun } from './fault-run.ts'
import { createPlainClient, type PlainClient } from './plain-client.ts'

const seed = chosenSeed(process.env.FAULT_SEED)
const runs = Number(process.env.FAULT_RUNS ?? 1_000)
/** The run to repeat alone, as a failure names it. */
const first = Number(process.env.FAULT_RUN ?? 0)
/** Runs at the same time: while one waits for the engine another has the processor. */
const ABREAST = 4

test(`equals a recount after ${runs} runs with faults`, { timeout: 1_800_000 }, async () => {
  console.info(`faults of the change stream: FAULT_SEED=${seed} FAULT_RUNS=${runs}`)
  const injected: Partial<Record<FaultKind, number>> = {}
  await using engine = await startBareEngine()
  await runAbreast(engine.endpoint, first, first + runs, injected)
  console.info('faults injected:', injected)
})

// It is slower, and stricter: what it refuses shows in few runs.
test('equals a recount after a few runs with faults on DynamoDB Local', async () => {
  const local = testEngines().find(({ name }) => name === 'dynamodb-local')
  await runAbreast(local?.endpoint ?? '', first, first + Math.ceil(runs / 200), {})
})

async function runAbreast(
  endpoint: string,
  from: number,
  to: number,
  injected: Partial<Record<FaultKind, number>>,
): Promise<void> {
  const plain = createPlainClient(endpoint)
  let next = from
  const lanes = Array.from({ length: ABREAST }, async () => {
    while (next < to) await one(plain, next++, injected)
  })
  try {
    await Promise.all(lanes)
  } finally {
    plain.close()
  }
}

async function one(
  { client, streams }: PlainClient,
  run: number,
  injected: Partial<Record<FaultKind, number>>,
): Promise<void> {
  const runSeed = (seed + run * 7919) >>> 0
  const random = seededRandom(runSeed)
  const shards = random() < 0.5 ? undefined : 1 + Math.floor(random() * 3)
  const changes = 20 + Math.floor(random() * 16)
  const zombies = random() < 0.5 ? 0 : random() * 0.2
  const name = `FAULT_SEED=${seed} FAULT_RUN=${run} FAULT_RUNS=1`
  const { kit, found, expected, poison } = await faultRun({
    ...{ client, streams, seed: runSeed, rates: drawFaultRates(runSeed), changes, shards, zombies },
  }).catch((error: unknown) => {
    throw new Error(`${name}: ${String(error)}`, { cause: error })
  })
  expect(found, name).toEqual(expected)
  expect(poison, name).toEqual([])
  for (const [kind, times] of Object.entries(kit.injected)) {
    injected[kind as FaultKind] = (injected[kind as FaultKind] ?? 0) + times
  }
}
