import type { JSX } from 'hono/jsx/jsx-runtime'
import { visible } from '../browse/value.tsx'
import { JobView } from '../operate/job-view.tsx'
import type { Job } from '../operate/jobs.ts'
import type { AskedOften } from '../session-memory.ts'
import { type Problem, ProblemNotice } from '../web/problem.tsx'
import { count, number } from '../web/words.ts'
import type { TypedLoad } from './run-adviser.tsx'

export interface AdviserPageProps {
  readonly name: string
  readonly queries: readonly AskedOften[]
  readonly sample: number
  readonly load: TypedLoad
  readonly job: Job | undefined
  readonly now: number
  readonly problem?: Problem | undefined
}

/** Shows the questions of this session, and what layout would answer them at the least price. */
export function AdviserPage({ name, queries, sample, load, job, now, problem }: AdviserPageProps): JSX.Element {
  const path = `/c/${encodeURIComponent(name)}/adviser`
  const isRunning = job !== undefined && job.endedAt === undefined
  const times = queries.reduce((sum, query) => sum + query.times, 0)
  return (
    <div class="operate">
      <h1>Adviser</h1>
      <p class="lead">
        {`Layouts and indexes compared by price, for the queries of this session: ${count(times, 'page')} of ${name} by ${count(queries.length, 'query', 'queries')}, with ${count(sample, 'item')} of them as the sample.`}
      </p>
      {problem === undefined ? null : <ProblemNotice problem={problem} title="The adviser was not asked." />}
      <form method="post" action={path} class="load-form">
        <label>
          <span>Pages a second</span>
          <input class="field" name="reads" value={load.reads} inputmode="decimal" required />
        </label>
        <label>
          <span>Writes a second</span>
          <input class="field" name="writes" value={load.writes} inputmode="decimal" required />
        </label>
        <button class="button" type="submit" disabled={isRunning}>
          Ask
        </button>
      </form>
      <JobView job={job} now={now} back={path} />
      <section class="card" aria-labelledby="queries">
        <h2 id="queries">Queries of this session</h2>
        {queries.length === 0 ? (
          <p class="hint">
            None yet: browse the collection as its users would, and come back. Until then each facet is open in half of
            the queries.
          </p>
        ) : (
          <table class="board">
            <thead>
              <tr>
                <th scope="col">Filter</th>
                <th scope="col">Order</th>
                <th scope="col" class="number">
                  Asked
                </th>
              </tr>
            </thead>
            <tbody>
              {queries.map(({ where = {}, by, order, times: asked }) => (
                <tr>
                  <th scope="row">
                    <code>{Object.keys(where).length === 0 ? 'everything' : visible(JSON.stringify(where))}</code>
                  </th>
                  <td>{[by, order].filter((part) => part !== undefined).join(' ') || 'default'}</td>
                  <td class="number">{number(asked)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </section>
    </div>
  )
}
