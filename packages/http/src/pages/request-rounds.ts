import type { SentRequest } from './sent-requests.ts'

/** Requests that were sent together: none waited for another. */
export interface RequestRound {
  /** From 1. */
  readonly number: number
  readonly requests: readonly SentRequest[]
}

/** Requests of one step that were sent together. */
interface Group extends Pick<SentRequest, 'step' | 'isOfSlice' | 'part'> {
  readonly requests: readonly SentRequest[]
  readonly startedAt: number
  readonly endedAt: number
}

/**
 * Tells requests apart by rounds: a request is one round after the last of those that its step waited for. What is read for all requests of a
 * process is of no round.
 */
export function roundsOf(requests: readonly SentRequest[]): readonly RequestRound[] {
  const groups = groupsOf(requests.filter(({ step }) => step !== 'register')).toSorted(
    (a, b) => a.startedAt - b.startedAt,
  )
  const rounds = new Map<Group, number>()
  for (const group of groups) {
    const waitedFor = [...rounds].filter(([earlier]) => waits(group, earlier)).map(([, round]) => round)
    rounds.set(group, 1 + Math.max(0, ...waitedFor))
  }
  const numbers = [...new Set(rounds.values())].sort((a, b) => a - b)
  return numbers.map((number) => ({
    number,
    requests: groups
      .filter((group) => rounds.get(group) === number)
      .flatMap((group) => group.requests)
      .toSorted((a, b) => a.startedAt - b.startedAt),
  }))
}

/** Whether a group began only when an earlier one had ended, for the sake of it. Counts may have ended before the lists began, which did not wait for them. */
function waits(later: Group, earlier: Group): boolean {
  if (earlier.endedAt > later.startedAt) return false
  if (earlier.part !== later.part) return true
  if (earlier.isOfSlice !== later.isOfSlice || earlier.step === later.step || earlier.step === 'pageIndex') return true
  return earlier.step === 'list' || earlier.step === 'columns'
}

function groupsOf(requests: readonly SentRequest[]): readonly Group[] {
  const steps = grouped(requests, ({ step, isOfSlice, part }) => `${step} ${isOfSlice} ${part}`)
  return steps.flatMap((sent) =>
    grouped(sent, roundIn(sent)).map((together): Group => {
      const [{ step, isOfSlice, part, startedAt }] = together as [SentRequest]
      const ends = together.map(({ startedAt: start, ms }) => start + (ms ?? 0))
      return { step, isOfSlice, part, requests: together, startedAt, endedAt: Math.max(...ends) }
    }),
  )
}

/** Finds the round of a request within its step. The lists' are told; else one begins with what was sent after an answer had come. */
function roundIn(sent: readonly SentRequest[]): (request: SentRequest) => number {
  const found = new Map<SentRequest, number>()
  let [round, firstAnswer] = [0, 0]
  for (const request of sent.toSorted((a, b) => a.startedAt - b.startedAt)) {
    const end = request.startedAt + (request.ms ?? Number.POSITIVE_INFINITY)
    if (round === 0 || request.startedAt >= firstAnswer) {
      round += 1
      firstAnswer = end
    } else firstAnswer = Math.min(firstAnswer, end)
    found.set(request, round)
  }
  return (request) => (request.part === undefined ? request.round : undefined) ?? found.get(request) ?? 0
}

function grouped<T>(all: readonly T[], keyOf: (one: T) => unknown): readonly (readonly T[])[] {
  const groups = new Map<unknown, T[]>()
  for (const one of all) {
    const key = keyOf(one)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [one])
    else group.push(one)
  }
  return [...groups.values()]
}
