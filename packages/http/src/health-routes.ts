import * as z from 'zod'
import { HttpProblem } from './problem.ts'
import type { AddRoute } from './routing.ts'

/** The report of one part of the server; further members are shown as they are. */
export interface ReadinessReport {
  readonly ok: boolean
  readonly [detail: string]: unknown
}

/** Parts of the server that have to work, by name. A part fails if it throws, or does not answer within two seconds. */
export type ReadinessChecks = Readonly<Record<string, (signal: AbortSignal) => Promise<ReadinessReport>>>

const TIMEOUT_MS = 2_000
const tag = 'Operation'
const reports = z.record(z.string(), z.looseObject({ ok: z.boolean() }))

/** Adds routes that tell whether the process lives, and whether it can answer. */
export function addHealthRoutes(addRoute: AddRoute, checks: ReadinessChecks): void {
  addRoute(
    {
      method: 'get',
      path: '/healthz',
      operationId: 'healthz',
      summary: 'Whether the process lives',
      tag,
      answers: { 200: { description: 'It does.', schema: z.object({ status: z.literal('ok') }) } },
      problems: [],
      always: true,
    },
    (context) => context.json({ status: 'ok' }),
  )
  addRoute(
    {
      method: 'get',
      path: '/readyz',
      operationId: 'readyz',
      summary: 'Whether requests can be answered',
      tag,
      answers: {
        200: {
          description: 'They can.',
          schema: z.object({ status: z.literal('ready'), checks: reports }).meta({ id: 'Readiness' }),
        },
      },
      problems: ['unavailable'],
      always: true,
    },
    async (context) => {
      const found = await Promise.all(
        Object.entries(checks).map(async ([name, check]) => [name, await reportOf(check)] as const),
      )
      const failed = found.filter(([, { ok }]) => !ok).map(([name]) => name)
      const members = { checks: Object.fromEntries(found) }
      if (failed.length === 0) return context.json({ status: 'ready', ...members })
      throw new HttpProblem('unavailable', `not ready: ${failed.join(', ')}`, {
        headers: { 'retry-after': '1' },
        members,
      })
    },
  )
}

/** Runs a check, and leaves behind one that ignores its signal: the caller has to know in time. */
async function reportOf(check: ReadinessChecks[string]): Promise<ReadinessReport> {
  const end = new AbortController()
  const late = new Promise<ReadinessReport>((resolve) => {
    end.signal.addEventListener('abort', () => resolve({ ok: false, reason: 'TimeoutError' }))
  })
  const timer = setTimeout(() => end.abort(), TIMEOUT_MS)
  try {
    return await Promise.race([check(end.signal), late])
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.name : 'failed' }
  } finally {
    clearTimeout(timer)
  }
}
