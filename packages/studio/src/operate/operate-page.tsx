import type { JSX } from 'hono/jsx/jsx-runtime'
import type { FollowerReport } from 'lapidary'
import { visible } from '../browse/value.tsx'
import { count, duration, moment, number } from '../web/words.ts'
import { JobView } from './job-view.tsx'
import type { Job } from './jobs.ts'
import type { Operation } from './operations.tsx'
import type { OperatingState } from './read-state.ts'
import { pendingText, type Task, tasksOf } from './tasks.ts'

export interface OperatePageProps {
  readonly state: OperatingState
  readonly operations: readonly Operation[]
  readonly job: Job | undefined
  readonly now: number
}

/** Shows the state of table, indexes, derived data and stream, and what can be done about it. */
export function OperatePage({ state, operations, job, now }: OperatePageProps): JSX.Element {
  const isRunning = job !== undefined && job.endedAt === undefined
  const tasks = tasksOf(state, now)
  return (
    <div class="operate">
      <h1>Operate</h1>
      <Verdict state={state} tasks={tasks} />
      <JobView job={job} now={now} back="/operate" />
      <div class="operate-columns">
        <section class="card" aria-labelledby="operations">
          <h2 id="operations">Operations</h2>
          <p class="hint">One at a time, while the table is used. Each can be stopped, and started again.</p>
          <ul class="operations">
            {operations.map(({ kind, title, says, writes }) => (
              <li>
                <form method="post" action="/operate/start">
                  <input type="hidden" name="kind" value={kind} />
                  <button
                    class={tasks.some(({ by }) => by === kind) ? 'button' : 'button button-quiet'}
                    type="submit"
                    disabled={isRunning}
                  >
                    {title}
                  </button>
                </form>
                <p>
                  {says} {writes ? null : <span class="tag">reads only</span>}
                </p>
              </li>
            ))}
          </ul>
        </section>
        <div class="operate-states">
          <Indexes state={state} />
          <DerivedData state={state} />
          <Stream state={state} now={now} />
          <DeadLetters state={state} />
        </div>
      </div>
    </div>
  )
}

/** Says at once whether there is something to do. */
function Verdict({ state: { table }, tasks }: { state: OperatingState; tasks: readonly Task[] }): JSX.Element {
  if (table === undefined)
    return <p class="notice notice-bad">There is no table yet. An import, the server, or lapidary generate makes it.</p>
  const { name, status, items, bytes } = table
  return (
    <>
      <p class="lead">
        Table <code>{name}</code>, {status}
        {items === undefined ? '' : `, some ${number(items)} entries`}
        {bytes === undefined || bytes === 0 ? '' : ` in ${number(Math.ceil(bytes / 1024))} KB`}.
      </p>
      {tasks.length === 0 ? (
        <p class="notice notice-good">Indexes are complete, and what is derived is known and counted to the end.</p>
      ) : (
        <div class="notice notice-bad">
          <p>
            <b>{count(tasks.length, 'thing')} to do</b>
          </p>
          <ul>
            {tasks.map(({ text }) => (
              <li>{text}</li>
            ))}
          </ul>
        </div>
      )}
    </>
  )
}

function StateTag({ state }: { state: string }): JSX.Element {
  return <span class={state === 'ready' ? 'tag tag-good' : 'tag tag-bad'}>{state}</span>
}

function Indexes({ state: { indexes } }: { state: OperatingState }): JSX.Element {
  return (
    <section class="card" aria-labelledby="indexes">
      <h2 id="indexes">Indexes</h2>
      <table class="board">
        <thead>
          <tr>
            <th scope="col">Index</th>
            <th scope="col">Of</th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
          {indexes.map(({ index, collection, state, proven, declared }) => (
            <tr>
              <th scope="row">
                <code>{index}</code>
              </th>
              <td>{collection}</td>
              <td>
                <StateTag state={state} /> {declared ? '' : 'not declared here; its keys are kept for those who do '}
                {proven || state !== 'ready' ? '' : 'a sample was checked; Backfill looks at all'}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function DerivedData({ state: { derived } }: { state: OperatingState }): JSX.Element {
  return (
    <section class="card" aria-labelledby="derived">
      <h2 id="derived">Derived data</h2>
      <table class="board">
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">Of</th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
          {derived.map(({ name, collection, state, isDeclared }) => (
            <tr>
              <th scope="row">{name}</th>
              <td>{collection}</td>
              <td>
                <StateTag state={state} /> {isDeclared ? null : 'of another declaration'}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Stream({ state: { stream }, now }: { state: OperatingState; now: number }): JSX.Element | null {
  if (stream === undefined) return null
  return (
    <section class="card" aria-labelledby="stream">
      <h2 id="stream">Change stream</h2>
      <Follower title="Counts and what is in the table" report={stream} now={now} />
      {stream.apart === undefined ? null : <Follower title="Stores apart" report={stream.apart} now={now} />}
    </section>
  )
}

function Follower({ title, report, now }: { title: string; report: FollowerReport; now: number }): JSX.Element {
  const { pending, pendingSince, shards } = report
  return (
    <>
      <p>
        <b>{title}</b>: {pending === 0 ? 'everything is counted' : pendingText(pending)}
        {pendingSince === undefined ? '' : `, the first ${duration(now - pendingSince)} old`}.
      </p>
      <ul class="shards">
        {shards.map(({ shardId, owner, gap }) => (
          <li>
            <code>{shardId}</code>{' '}
            {gap ? (
              <span class="tag tag-bad">gap</span>
            ) : (
              <span class="tag">{owner === undefined ? 'no reader now' : 'read now'}</span>
            )}
          </li>
        ))}
      </ul>
    </>
  )
}

function DeadLetters({ state: { deadLetters } }: { state: OperatingState }): JSX.Element | null {
  if (deadLetters.length === 0) return null
  return (
    <section class="card" aria-labelledby="dead-letters">
      <h2 id="dead-letters">Dead letters</h2>
      <ul class="findings">
        {deadLetters.slice(0, 50).map(({ key, at, reason }) => (
          <li class="finding finding-bad">
            <code>{visible(key.PK)}</code> {visible(reason)} <small>{moment(at)} UTC</small>
          </li>
        ))}
      </ul>
    </section>
  )
}
