import type { FollowerReport } from 'lapidary'
import { count } from './count-text.ts'
import type { CheckContext, Finding } from './finding.ts'
import type { Session } from './session.ts'
import { readStreamState, type WaitingChanges, waitingProblem, waitingText } from './waiting-changes.ts'

/** Checks that derived data is kept up to date: the stream, its runner, the changes that wait, were lost, or could not be counted. */
export async function streamCheck(
  session: Session,
  { signal, allowBehind }: CheckContext,
): Promise<readonly Finding[]> {
  const table = await session.requireTable()
  // The check of the declaration already reports it.
  if (table.StreamSpecification?.StreamEnabled !== true) return []
  const { report, counted, apart } = await readStreamState(session, signal)
  const { shards, deadLetters } = report
  const owners = shards.filter(({ owner }) => owner !== undefined).length
  const problem = waitingProblem(counted)
  const findings: Finding[] = [
    {
      check: 'stream',
      ok: problem === undefined || allowBehind,
      message: `${count(shards.length, 'shard')}, ${owners} of them read now; ${problem?.message ?? waitingText(counted.pending, counted.lagMs)}`,
      ...(problem?.remedy === undefined ? {} : { remedy: problem.remedy }),
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
  if (apart !== undefined && report.apart !== undefined) findings.push(apartCheck(report.apart, apart, allowBehind))
  if (deadLetters > 0) {
    findings.push(await deadLettersFinding(session))
  }
  return findings
}

const MOST_REASONS = 3

/** Names the first few changes that could not be counted, and why. */
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

/** Checks that the stores that follow the stream by themselves keep up. */
function apartCheck({ shards }: FollowerReport, waiting: WaitingChanges, allowBehind: boolean): Finding {
  const check = 'stores apart'
  if (shards.some(({ gap }) => gap)) {
    const message = 'records were gone before a store of page numbers took them in'
    return { check, ok: false, message, remedy: 'lapidary rebuild page-index' }
  }
  const problem = waitingProblem(waiting)
  if (problem === undefined) return { check, ok: true, message: waitingText(waiting.pending, waiting.lagMs) }
  return { check, ok: allowBehind, ...problem }
}
