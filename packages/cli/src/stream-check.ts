import { MOST_PENDING } from 'lapidary'
import { count } from './derived-data.ts'
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
  const { shards, pending, pendingSince, deadLetters } = await session.database.stream.report()
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
      message: `${count(shards.length)} ${shards.length === 1 ? 'shard' : 'shards'}, ${owners} of them read now; ${lag}${idle}`,
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
      remedy: 'lapidary rebuild statistics',
    })
  }
  if (deadLetters > 0) {
    findings.push({
      check: 'dead letters',
      ok: false,
      message: `${count(deadLetters)} changes could not be counted`,
      remedy: 'see why with lapidary verify, mend the items or the declaration, then lapidary repair',
    })
  }
  return findings
}
