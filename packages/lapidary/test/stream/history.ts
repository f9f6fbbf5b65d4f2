import { DescribeTableCommand, type DynamoDBClient, UpdateTableCommand } from '@aws-sdk/client-dynamodb'
import { type AwsOccurrence, type AwsStream, seededRandom } from 'lapidary-testing'
import type { Mending, Verification } from '../../src/recount/maintenance-options.ts'
import { repair } from '../../src/recount/mend.ts'
import { verify } from '../../src/recount/verify.ts'
import { checkpointOf } from '../../src/stream/checkpoint.ts'
import type { Poller } from '../../src/stream/poller.ts'
import { type EventSourceMapping, startEventSourceMapping } from './event-source-mapping.ts'
import { type HistoryAnswers, historyAnswers } from './history-answers.ts'
import { driftIn, listingOf, pendingIn } from './history-drift.ts'
import { type HistoryEnvironment, openEnvironment } from './history-environment.ts'
import type { Happened, HistoryOptions } from './history-options.ts'
import type { HistoryPlan, Maintenance } from './history-plan.ts'
import {
  type HistoryProcess,
  isPassing,
  LEASE_MS,
  openProcess,
  type ProcessOptions,
  persistently,
} from './history-process.ts'
import { historyEntry } from './history-reviews.ts'
import { scan } from './recount.ts'
import { spoilColumns } from './spoil-columns.ts'
import { spoilCounts } from './spoil-counts.ts'
import { createWorkload, type Workload } from './workload.ts'

/** What does not come in this time does not come. On a machine with much else to do, what comes takes a minute and more. */
export const PATIENCE_MS = 240_000
const MOST_TRIES = 12
/** While all is under way. */
const LOOKS = 2

/** A process that keeps derived data, and what it does to keep them. */
interface Keeper {
  process: HistoryProcess
  poller: Poller | undefined
  /** Whether another process is about to go on for it. */
  isDying?: boolean
}

/**
 * Writes random changes to a table on a stream as AWS's may be, while the real poller, the real Lambda handler, verify, repair
 * and rebuild run, die, stand still and begin again.
 *
 * @throws {Error} Where derived data is not what a recount says once all is quiet, or maintenance said or did something wrong.
 */
export async function runHistory(options: HistoryOptions): Promise<Happened> {
  const environment = await openEnvironment(options)
  const history = new History(environment, options)
  try {
    await history.run()
    return history.happened()
  } finally {
    await history.end()
    await environment.close()
  }
}

class History {
  readonly #environment: HistoryEnvironment
  readonly #aws: AwsStream
  readonly #sure: HistoryEnvironment['sure']
  readonly #client: DynamoDBClient
  readonly #tableName: string
  readonly #patienceMs: number
  readonly #defect: ProcessOptions['spoil']
  #killAt: number | undefined
  readonly #plan: HistoryPlan
  readonly #random: () => number
  readonly #workload: Workload
  readonly #processes: HistoryProcess[] = []
  readonly #pollers: Keeper[] = []
  #function: Keeper | undefined
  #mapping: EventSourceMapping | undefined
  readonly #done: Happened = {}
  #seed: number
  #passedMs = 0
  readonly #answers: HistoryAnswers
  /** Whether derived data was spoilt by hand, and not repaired yet. */
  #isSpoilt = false

  constructor(environment: HistoryEnvironment, options: HistoryOptions) {
    const { aws, sure, tableName } = environment
    const { client, seed, plan, patienceMs = PATIENCE_MS, killAt, spoil } = options
    this.#patienceMs = patienceMs
    this.#killAt = killAt
    this.#defect = spoil
    this.#environment = environment
    this.#aws = aws
    this.#sure = sure
    this.#client = client
    this.#tableName = tableName
    this.#plan = plan
    this.#seed = seed
    this.#random = seededRandom(seed)
    this.#workload = createWorkload(sure.client, tableName, seededRandom(seed + 1), plan.changes, historyEntry)
    const clock = (): number => Date.now() + this.#passedMs
    this.#answers = historyAnswers({ client: aws.client, tableName, clock, versions: this.#workload.versions })
  }

  async run(): Promise<void> {
    const { loss, maintenance, beats } = this.#plan
    if (loss === 'firstDay') {
      await this.#write(0.4)
      await this.#pass(24.5 + this.#random() * 10)
    }
    await this.#begin()
    if (loss === 'none') {
      const disturbed = [this.#disturb(), this.#maintain(maintenance), this.#look()]
      await Promise.all([this.#write(beats ? 0.6 : 1), ...disturbed])
    } else await Promise.all([this.#lose(), this.#look()])
    if (loss === 'none' && beats) await this.#passQuietDay()
    await this.#quieten()
    if (loss !== 'none') {
      await this.#untilGap()
      await this.#maintain(['rebuild'])
    }
    await this.#untilCounted()
    await this.#until(() => this.#answers.problemAtRest())
    if (loss !== 'none' || beats || (maintenance.includes('repair') && this.#plan.spoils))
      await this.#maintain(['verify'])
    await this.end()
    await this.#requireCounted()
  }

  /** Looks at the answers now and then. */
  async #look(): Promise<void> {
    for (let looks = 0; looks < LOOKS; looks++) {
      await this.#pause(this.#random() * 10)
      const isSpoilt = this.#isSpoilt
      const problem = await this.#answers.problem()
      if (problem !== undefined && !isSpoilt && !this.#isSpoilt) throw new Error(`meanwhile ${problem}`)
    }
  }

  happened(): Happened {
    const sum: Happened = { ...this.#done }
    const kits = [this.#environment.befell, this.#aws.occurred, ...this.#processes.map(({ faults }) => faults.injected)]
    for (const [kind, times] of kits.flatMap((each) => Object.entries(each))) {
      sum[kind as AwsOccurrence] = (sum[kind as AwsOccurrence] ?? 0) + times
    }
    return sum
  }

  async end(): Promise<void> {
    await this.#stop()
    await Promise.all(this.#processes.map(({ faults }) => faults.landed()))
  }

  #open(options: Omit<ProcessOptions, 'seed'> = {}): HistoryProcess {
    this.#seed = (this.#seed * 31 + 17) >>> 0
    const passedMs = (): number => this.#passedMs
    const process = openProcess(this.#aws, this.#tableName, this.#plan, { ...options, passedMs, seed: this.#seed })
    this.#processes.push(process)
    return process
  }

  #openKeeper(): HistoryProcess {
    const killAt = this.#killAt
    this.#killAt = undefined
    return this.#open({ killAt, spoil: this.#defect })
  }

  /** Begins to keep derived data. */
  async #begin(): Promise<void> {
    for (let i = 0; i < this.#plan.pollers; i++) {
      const process = this.#openKeeper()
      this.#pollers.push({ process, poller: process.poll() })
    }
    if (!this.#plan.lambda) return
    this.#function = { process: this.#openKeeper(), poller: undefined }
    await this.#map()
  }

  async #map(): Promise<void> {
    const { Table } = await this.#sure.client.send(new DescribeTableCommand({ TableName: this.#tableName }))
    this.#mapping = startEventSourceMapping({
      ...{ streams: this.#aws.streams, arn: Table?.LatestStreamArn ?? '', random: this.#random },
      ...{ batchSize: 12, pollMs: 8, windowMs: 300 },
      invoke: async (event) => (this.#function ?? this.#renewed()).process.handler(event),
      isWanted: ({ dynamodb }) => dynamodb?.Keys?.PK?.S?.startsWith('REVIEW#') === true,
    })
  }

  async #stop(): Promise<void> {
    await this.#mapping?.close()
    await Promise.all(this.#pollers.map(({ poller }) => poller?.close()))
    this.#pollers.length = 0
    this.#mapping = undefined
  }

  async #write(share = 1): Promise<void> {
    const most = Math.ceil(this.#plan.changes * share)
    for (let writes = 0; writes < most && (await this.#workload.write()); writes++) {
      await this.#pause(this.#random() * this.#plan.pauseSeconds)
      await this.#succeed()
    }
  }

  /** Another process goes on for one that has died at a write point. */
  async #succeed(): Promise<void> {
    for (const keeper of this.#pollers) if (keeper.process.faults.isKilled) await this.#kill(keeper)
  }

  /** Lets half an hour pass, rolls shards over, kills processes, and lets them stand still. */
  async #disturb(): Promise<void> {
    const { kills, stands, rolls, lulls } = this.#plan
    for (let left = kills + stands + rolls + lulls; left > 0; left--) {
      await this.#pause(this.#random() * 8)
      if (left > kills + stands + rolls) {
        await this.#pass(0.5)
        continue
      }
      if (left > kills + stands) {
        await this.#aws.rollOver()
        continue
      }
      const keeper = this.#pick()
      if (left <= stands) this.#standStill(keeper)
      else await this.#kill(keeper)
    }
  }

  #pick(): Keeper | undefined {
    const all = [...this.#pollers, ...(this.#function === undefined ? [] : [this.#function])]
    return all[Math.floor(this.#random() * all.length)]
  }

  #renewed(): Keeper {
    return { process: this.#openKeeper(), poller: undefined }
  }

  async #kill(keeper: Keeper | undefined): Promise<void> {
    if (keeper === undefined || keeper.isDying === true) return
    keeper.isDying = true
    const { poller } = keeper
    keeper.process.faults.kill()
    await poller?.close()
    await this.#pause(this.#random() * 3)
    keeper.process = this.#openKeeper()
    if (poller !== undefined) keeper.poller = keeper.process.poll()
    keeper.isDying = false
  }

  #standStill(keeper: Keeper | undefined): void {
    const ms = LEASE_MS * (1 + this.#random())
    keeper?.process.standStill(new Promise((resolve) => setTimeout(resolve, ms)))
  }

  async #lose(): Promise<void> {
    await this.#write(0.4)
    if (this.#plan.loss === 'outage') {
      if (this.#plan.beats) await this.#open().catchUp()
      await this.#stop()
      await this.#write(0.3)
      await this.#pass(24.5 + this.#random() * 10)
      await this.#begin()
      // Lambda may come before the next heartbeat, or behind it.
      if (this.#plan.beats && this.#random() < 0.5) await this.#open().catchUp()
    } else if (this.#plan.loss === 'switched') {
      await this.#until(async () => ((await this.#isNoted()) ? undefined : 'no process has noted its stream'))
      await this.#switchTo(false)
      await this.#write(0.3)
      await this.#switchTo(true)
      await this.#mapping?.close()
      if (this.#plan.lambda) await this.#map()
      // Lambda hears of nothing else.
      this.#workload.add(3)
    }
    await this.#write()
    if (this.#plan.beats) await this.#open().catchUp()
  }

  /** After a day some shards are known and trimmed, or all are forgotten. */
  async #pass(hours: number): Promise<void> {
    this.#passedMs += hours * 3_600_000
    await this.#aws.pass(hours * 3_600)
  }

  /** More than a day on which nothing is written, and a process catches up now and then. */
  async #passQuietDay(): Promise<void> {
    for (let hours = 0; hours < 40; hours += 6) await this.#pass(6).then(() => this.#open().catchUp())
    await this.#write(0.3)
  }

  async #isNoted(): Promise<boolean> {
    return (await scan(this.#client, this.#tableName)).some(({ PK }) => PK?.S === '~COUNTED')
  }

  async #switchTo(StreamEnabled: boolean): Promise<void> {
    const command = new UpdateTableCommand({ TableName: this.#tableName, StreamSpecification: { StreamEnabled } })
    await this.#sure.client.send(command)
  }

  async #maintain(kinds: readonly Maintenance[]): Promise<void> {
    for (const kind of kinds) {
      await this.#pause(this.#random() * 5)
      if (kind === 'repair' && this.#plan.spoils) await this.#spoil()
      let killAt = this.#plan.killsMaintenance ? 1 + Math.floor(this.#random() * 20) : undefined
      for (let tries = 1; ; tries++) {
        const process = this.#open({ killAt })
        if (tries > MOST_TRIES / 2) process.faults.calm()
        try {
          this.#requireTrue(kind, await this.#maintainOnce(kind, process))
          this.#done[kind] = (this.#done[kind] ?? 0) + 1
          if (kind !== 'verify') this.#isSpoilt = false
          break
        } catch (error) {
          if (!isPassing(error) || tries === MOST_TRIES) throw new Error(`${kind}: ${String(error)}`, { cause: error })
          this.#done.failedMaintenance = (this.#done.failedMaintenance ?? 0) + 1
          killAt = undefined
        }
      }
    }
  }

  async #spoil(): Promise<void> {
    this.#isSpoilt = true
    await spoilCounts(this.#sure.client, this.#tableName, this.#random)
    const { derived, faults } = this.#open()
    faults.calm()
    await persistently(() => spoilColumns(derived.columns, this.#random))
  }

  async #maintainOnce(kind: Maintenance, { derived }: HistoryProcess): Promise<Verification | Mending> {
    const options = { idleMs: 15, segments: 1, signal: AbortSignal.timeout(PATIENCE_MS) }
    const mending = { ...options, leaseMs: 2 * LEASE_MS }
    if (kind === 'verify') return verify(await derived.data(), options)
    if (kind === 'repair') return repair(await derived.data(), mending)
    // Drawn apart, so that the histories of seeds stay what they were.
    const draw = seededRandom(this.#seed)()
    return derived.rebuild(mending, draw < 0.3 ? undefined : { evenLeased: draw < 0.65, least: 1 })
  }

  /** Derived data that lost nothing is healthy at any moment, whatever is under way. */
  #requireTrue(kind: Maintenance, { differences, gaps, deadLetters }: Verification): void {
    const isHealthy = (kind === 'verify' || (kind === 'repair' && !this.#plan.spoils)) && this.#plan.loss === 'none'
    if (isHealthy && differences.length > 0) {
      throw new Error(`${kind} of healthy data tells ${differences.length} differences: ${JSON.stringify(differences)}`)
    }
    if (gaps.length > 0) throw new Error(`${kind} tells of gaps where nothing was lost: ${gaps.join(', ')}`)
    if (deadLetters > 0) throw new Error(`${kind} tells of ${deadLetters} dead letters`)
  }

  async #quieten(): Promise<void> {
    await this.#succeed()
    for (const { faults } of this.#processes) faults.calm()
    await this.#environment.quieten()
    this.#aws.behave({ lateSeconds: 0, emptyPages: 0, shortPages: 0, listedSeconds: 0 })
    const { lateSeconds, listedSeconds } = this.#plan.behaviour
    await this.#pause(Math.max(lateSeconds, listedSeconds))
    await Promise.all(this.#processes.map(({ faults }) => faults.landed()))
  }

  async #untilGap(): Promise<void> {
    await this.#until(async () => {
      const entries = await scan(this.#client, this.#tableName)
      const checkpoints = entries.filter(({ PK }) => PK?.S?.startsWith('~STREAM#') === true)
      if (checkpoints.some((entry) => checkpointOf(entry).gap)) return undefined
      const told = checkpoints.map((entry) => [entry.PK?.S, checkpointOf(entry)])
      return `records were lost without a word: ${JSON.stringify(told)}, ${JSON.stringify(await listingOf(this.#sure, this.#tableName))}`
    })
  }

  /** Right by chance, with changes to come that take each other back, is not counted. */
  #untilCounted(): Promise<void> {
    return this.#until(
      async () =>
        (await driftIn(this.#client, this.#tableName)) ?? (await pendingIn(this.#sure, this.#client, this.#tableName)),
    )
  }

  async #until(problemOf: () => Promise<string | undefined>): Promise<void> {
    let problem: string | undefined
    for (const began = performance.now(); performance.now() - began < this.#patienceMs; ) {
      problem = await problemOf()
      if (problem === undefined) return
      await this.#succeed()
      // Looking costs as much as what is looked at.
      await this.#pause((performance.now() - began) / 100)
    }
    throw new Error(problem)
  }

  async #requireCounted(): Promise<void> {
    const problem = await driftIn(this.#client, this.#tableName)
    if (problem !== undefined) throw new Error(problem)
  }

  #pause(seconds: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, seconds * this.#plan.msPerSecond))
  }
}
