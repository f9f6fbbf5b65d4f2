import type { JSX } from 'hono/jsx/jsx-runtime'
import { ProblemNotice, problemOf } from '../web/problem.tsx'
import { duration } from '../web/words.ts'
import type { Job } from './jobs.ts'

const STATES: Readonly<Record<Job['state'], string>> = {
  running: 'running',
  stopping: 'stopping',
  done: 'done',
  stopped: 'stopped',
  failed: 'failed',
}

/** Shows the job that is running or ended last. The script asks for it anew while it runs. */
export function JobView({ job, now, back }: { job: Job | undefined; now: number; back: string }): JSX.Element {
  if (job === undefined) return <div id="job" data-state="none" />
  const { title, state, progress, startedAt, endedAt, outcome, error } = job
  const isRunning = endedAt === undefined
  const { done, total } = progress
  return (
    <section
      class={`card job job-${state}`}
      id="job"
      data-state={isRunning ? 'running' : 'ended'}
      aria-labelledby="job-title"
    >
      <h2 id="job-title">
        {title} <span class="tag">{STATES[state]}</span>{' '}
        <small>{isRunning ? `for ${duration(now - startedAt)}` : `after ${duration(endedAt - startedAt)}`}</small>
      </h2>
      {isRunning ? (
        <>
          <progress
            aria-label={`Progress of ${title}`}
            value={total === undefined || total === 0 ? undefined : Math.min(done ?? 0, total)}
            max={total === undefined || total === 0 ? undefined : total}
          />
          <p>{progress.text}</p>
          <form method="post" action="/operate/stop">
            <input type="hidden" name="back" value={back} />
            <button class="button button-quiet" type="submit">
              Stop
            </button>
          </form>
        </>
      ) : null}
      {state === 'stopped' ? <p>What was done until then stays done; start it again to go on.</p> : null}
      {state === 'failed' ? <JobError error={error} /> : null}
      {state === 'done' ? <div class="outcome">{typeof outcome === 'string' ? <p>{outcome}</p> : outcome}</div> : null}
    </section>
  )
}

function JobError({ error }: { error: unknown }): JSX.Element {
  const problem = problemOf(error)
  if (problem !== undefined) return <ProblemNotice problem={problem} title="It failed." />
  return <p class="notice notice-bad">{error instanceof Error ? error.message : String(error)}</p>
}
