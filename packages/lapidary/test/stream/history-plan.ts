import {
  type AwsBehaviour,
  drawAwsBehaviour,
  drawFaultRates,
  type FaultRates,
  NO_FAULTS,
  PROMPT_STREAM,
  seededRandom,
} from 'lapidary-testing'

/** What happens in a history. Times are in AWS's seconds. */
export interface HistoryPlan {
  readonly behaviour: AwsBehaviour
  readonly rates: Partial<FaultRates>
  readonly msPerSecond: number
  readonly changes: number
  /** The most between two writes. */
  readonly pauseSeconds: number
  /** Processes that poll. */
  readonly pollers: number
  /** Whether Lambda keeps the derived data, by itself or beside the pollers. */
  readonly lambda: boolean
  /** Whether a process catches up every few hours, also through a day on which nothing is written. */
  readonly beats: boolean
  /** Deaths of processes that keep derived data; another begins each time. */
  readonly kills: number
  /** Processes that stand still past their lease, and go on as if nothing had happened. */
  readonly stands: number
  /** How often the shards close and go on in others. */
  readonly rolls: number
  /** The most by which clocks differ. */
  readonly clockSeconds: number
  /** One after the other, while all the rest runs. */
  readonly maintenance: readonly Maintenance[]
  /** Whether derived data is spoilt before each repair, which has to mend it then. */
  readonly spoils: boolean
  /** Whether the first try of each is killed. */
  readonly killsMaintenance: boolean
  /** How records are lost; verify may tell differences then, and a rebuild makes up for them. */
  readonly loss: 'none' | 'outage' | 'firstDay' | 'switched'
  /** How often half an hour passes in between, while processes go on. */
  readonly lulls: number
  /** Whether programs reach DynamoDB through a hostile proxy. */
  readonly isHostile: boolean
}

export type Maintenance = 'verify' | 'repair' | 'rebuild'

/** One process, one shard, no trouble: the ground to name single troubles on. */
export const QUIET: HistoryPlan = {
  behaviour: PROMPT_STREAM,
  rates: NO_FAULTS,
  msPerSecond: 10,
  changes: 25,
  pauseSeconds: 0.5,
  pollers: 1,
  lambda: false,
  beats: false,
  kills: 0,
  stands: 0,
  rolls: 0,
  clockSeconds: 0,
  maintenance: [],
  spoils: false,
  killsMaintenance: false,
  loss: 'none',
  lulls: 0,
  isHostile: false,
}

/** A history that a seed decides. */
export function drawHistory(seed: number): HistoryPlan {
  const random = seededRandom(seed ^ 0x5bd1e995)
  const few = (most: number): number => Math.floor(random() * (most + 1))
  const drawn = random()
  const loss = drawn < 0.88 ? 'none' : drawn < 0.93 ? 'outage' : drawn < 0.96 ? 'firstDay' : 'switched'
  // Without heartbeats Lambda does not notice every day that was lost, nor does a poller that comes after it.
  const lambda = (loss === 'none' || loss === 'switched') && random() < 0.35
  const kinds = ['verify', 'verify', 'repair', 'repair', 'rebuild'] as const
  const behaviour = drawAwsBehaviour(seed)
  const rates = random() < 0.3 ? NO_FAULTS : halved({ ...drawFaultRates(seed), killed: 0 })
  return {
    // What proves the end of the log is some 16 writes for each open shard.
    behaviour: { ...behaviour, shards: 1 + few(1), splits: behaviour.splits / 2 },
    rates,
    msPerSecond: 10,
    changes: 10 + few(10),
    pauseSeconds: random() * 2,
    pollers: lambda ? few(1) : 1 + few(1),
    lambda,
    beats: false,
    kills: few(2),
    stands: random() < 0.3 ? 1 : 0,
    rolls: few(2),
    clockSeconds: random() < 0.5 ? 0 : random() * 8,
    maintenance: Array.from(
      { length: loss === 'none' ? Math.floor(random() ** 2 * 2.6) : 0 },
      () => kinds[few(4)] ?? 'verify',
    ),
    spoils: random() < 0.3,
    killsMaintenance: random() < 0.2,
    loss,
    lulls: few(1),
    isHostile: false,
  }
}

/** A history should be of commands that work now and then, too. */
function halved(rates: FaultRates): FaultRates {
  return Object.fromEntries(Object.entries(rates).map(([kind, rate]) => [kind, rate / 2])) as FaultRates
}
