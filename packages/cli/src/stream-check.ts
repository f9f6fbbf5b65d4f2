import { type FollowerReport, MOST_PENDING } from 'lapidary'
import { count } from './count-text.ts'
import type { Finding } from './finding.ts'
import type { Session } from './session.ts'

/** Behind by which a process that counts is too slow. */
const SLOW_MS = 60_000
/** The stream keeps changes for 24 hours. */
const URGENT_MS = 12 * 3_600_000

/** Whether derived data is kept up to date: the stream, who counts it, how far, what it lost and what could not be counted. */
export async function streamCheck(session: Session): Promise<readonly Finding[]> {
  const table = await session.requireTable()
  // What the declaration's check says already.
  if (table.StreamSpecification?.StreamEnabled !== true) return []
  const { shards, pending, pendingSince, deadLetters, apart } = await session.database.stream.report()
  const owners = shards.filter(({ owner }) => owner !== undefined).length
  const lagMs = pendingSince === undefined ? 0 : Math.max(0, Date.now() - pendingSince)
  const lag =
    pending === 0
      ? 'everything is counted'
      : `${count(pending)}${pending >= MOST_PENDING ? ' or more' : ''} changes not counted, the first ${(lagMs / 1000).toFixed(0)} s old`
  const late = lagMs > (owners > 0 ? SLOW_MS : URGENT_MS)
  const idle = owners === 0 && pending > 0 ? '; no process counts now, the server or lapidary stream would' : ''
  const findings: Finding[] = [
    {
      check: 'stream',
      ok: !late,
      message: `${count(shards.length, 'shard')}, ${owners} of them read now; ${lag}${idle}`,
      ...(late
        ? { remedy: 'run the server, or lapidary stream; with a long backlog lapidary rebuild statistics is faster' }
        : {}),
    },
  ]
  const gaps = shards.filter(({ gap }) => gap).map(({ shardId }) => shardId)
  if (gaps.length > 0) {
    findings.push({
      check: 'gap',
      ok: false,
      message: `records of ${gaps.join(', ')} were gone before they were counted`,
      remedy: 'lapidary repair',
    })
  }
  if (apart !== undefined) findings.push(apartCheck(apart))
  if (deadLetters > 0) {
    findings.push(await deadLettersFinding(session))
  }
  return findings
}

const MOST_REASONS = 3

/** Which changes could not be counted, and why: the first few of them. */
async function deadLettersFinding({ database }: Session): Promise<Finding> {
  const letters = await database.stream.deadLetters.list()
  const shown = letters.slice(0, MOST_REASONS).map(({ key, reason }) => `${key.PK}: ${reason}`)
  const more = letters.length > shown.length ? [`and ${count(letters.length - shown.length)} more`] : []
  return {
    check: 'dead letters',
    ok: false,
    message: `${count(letters.length, 'change')} could not be counted (${[...shown, ...more].join('; ')})`,
    remedy: 'mend these items, or the declaration, then lapidary repair',
  }
}

/** Whether the stores that follow the stream by themselves keep up. */
function apartCheck({ shards, pending, pendingSince }: FollowerReport): Finding {
  const check = 'stores apart'
  if (shards.some(({ gap }) => gap)) {
    const message = 'records were gone before a store of page numbers took them in'
    return { check, ok: false, message, remedy: 'lapidary rebuild page-index' }
  }
  const lagMs = pendingSince === undefined ? 0 : Math.max(0, Date.now() - pendingSince)
  const behind = `${count(pending, 'change')} not taken in, the first ${(lagMs / 1000).toFixed(0)} s old`
  if (lagMs <= SLOW_MS) return { check, ok: true, message: pending === 0 ? 'they have everything' : behind }
  const remedy = 'see whether the store answers, and run the server or lapidary stream'
  return { check, ok: false, message: behind, remedy }
}
