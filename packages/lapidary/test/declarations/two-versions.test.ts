import { randomBytes } from 'node:crypto'
import { chosenSeed, createAwsStream, drawAwsBehaviour } from 'lapidary-testing'
import { expect, test } from 'vitest'
import { memoryDatabase } from '../memory-items/memory-database.ts'
import { FASTER, runTwoVersions } from './two-versions.ts'
import type { SharedTable } from './version.ts'

const seed = chosenSeed(process.env.DECLARATIONS_SEED)
const runs = Number(process.env.DECLARATIONS ?? 40)
/** The pair to repeat alone, as a failure names it. */
const first = Number(process.env.DECLARATION ?? 0)
/** Pairs at the same time: most of each is waiting. */
const ABREAST = 16

test(`what ${runs} pairs of versions say of derived data is true, or that they do not know`, {
  timeout: 600_000 + 10_000 * runs,
}, async () => {
  console.info(`declarations: DECLARATIONS_SEED=${seed} DECLARATIONS=${runs}`)
  const failed: string[] = []
  let [next, known, unknown] = [first, 0, 0]
  const lanes = Array.from({ length: ABREAST }, async () => {
    while (next < first + runs) {
      const run = next++
      const tableName = `declarations-${randomBytes(4).toString('hex')}`
      const began = Date.now()
      const clock = (): number => began + (Date.now() - began) * FASTER
      const runSeed = (seed + run * 7919) >>> 0
      try {
        const seen = await runTwoVersions({ ...tableOf(tableName, run, runSeed), tableName, clock }, runSeed)
        known += seen.known
        unknown += seen.unknown
      } catch (error) {
        failed.push(`DECLARATIONS_SEED=${seed} DECLARATION=${run} DECLARATIONS=1: ${(error as Error).stack}`)
      }
    }
  })
  await Promise.all(lanes)
  console.info('seen:', { known, unknown })
  expect(failed).toEqual([])
})

/** Every fifth one has a stream as AWS's may be. */
function tableOf(tableName: string, run: number, seed: number): Pick<SharedTable, 'client' | 'streams' | 'stream'> {
  const memory = memoryDatabase(tableName)
  if (run % 5 !== 4) return { ...memory, stream: 'immediate' }
  const behaviour = { ...drawAwsBehaviour(seed), lateSeconds: 3, listedSeconds: 3 }
  const msPerSecond = 10
  const aws = createAwsStream({ ...memory, tableName, seed, behaviour, msPerSecond, listenMs: 5 })
  return { client: aws.client, streams: aws.streams, stream: { lateMs: 20 * msPerSecond } }
}
