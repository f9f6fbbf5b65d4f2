import type { JSX } from 'hono/jsx/jsx-runtime'
import type { ExplainedPlan } from 'lapidary'
import { type AwsCommandOptions, awsCommand } from './aws-command.ts'
import { markOf, PartMark } from './part-mark.tsx'
import type { PictureFormat } from './picture-format.ts'
import type { PictureWords } from './picture-words.ts'
import { sourcesOf } from './plan-rows.ts'
import { roundsOf } from './request-rounds.ts'
import type { SentRequest } from './sent-requests.ts'

export interface SentRequestsProps {
  readonly plan: ExplainedPlan
  readonly requests: readonly SentRequest[]
  readonly words: PictureWords
  readonly format: PictureFormat
  readonly command?: AwsCommandOptions
  /** Names what was read beside the page. */
  readonly nameOf?: (part: string) => string
}

/** Shows the requests that were sent for a page: which went together, when each was sent and answered, and each as a command. */
export function SentRequests(props: SentRequestsProps): JSX.Element | null {
  const { plan, requests, words, format } = props
  if (requests.length === 0) return null
  const rounds = roundsOf(requests)
  const registers = requests.filter(({ step }) => step === 'register')
  const elsewhere = notNoted(plan, requests)
  const begin = Math.min(...requests.map(({ startedAt }) => startedAt))
  const length = Math.max(...requests.map(endOf)) - begin
  const row = (request: SentRequest) => <SentRow request={request} begin={begin} length={length} {...props} />
  return (
    <>
      <p class="plan-note rounds-mean">{words.roundMeans}</p>
      <ol class="rounds">
        {rounds.map(({ number, requests: together }) => (
          <li>
            <p class="round-head">
              <b>{words.round(format.number(number))}</b>{' '}
              <span>{words.together(format.requests(together.length), format.decimal(lengthOf(together)))}</span>
            </p>
            <ul class="sent">{together.map(row)}</ul>
          </li>
        ))}
        {registers.length === 0 ? null : (
          <li>
            <p class="round-head">
              <span>{words.forAll}</span>
            </p>
            <ul class="sent">{registers.map(row)}</ul>
          </li>
        )}
      </ol>
      {elsewhere > 0 ? <p class="plan-note">{words.elsewhere(format.requests(elsewhere))}</p> : null}
    </>
  )
}

interface SentRowProps extends SentRequestsProps {
  readonly request: SentRequest
  /** Milliseconds until the first request was sent, and from there to the last answer. */
  readonly begin: number
  readonly length: number
}

function SentRow({ request, begin, length, plan, words, format, command, nameOf }: SentRowProps): JSX.Element {
  const { name, input, startedAt, ms, rcu, isRefused, part } = request
  const kind = partOf(request, plan)
  const isOfSeveral = part === undefined && kind === 'list' && sourcesOf(plan.tree).length > 1
  const marked = { kind: part === undefined ? kind : 'beside', list: isOfSeveral ? request.list : undefined }
  const share = (time: number): string => `${length === 0 ? 0 : ((100 * time) / length).toFixed(2)}%`
  const index = 'IndexName' in input ? String(input.IndexName) : ''
  return (
    <li>
      <details>
        <summary class="sent-row">
          <span class="sent-what">
            <PartMark part={marked} /> {part === undefined ? words.parts[kind] : (nameOf?.(part) ?? part)}{' '}
            <code>{`${name} ${index}`.trim()}</code>
          </span>
          <svg
            class="sent-bar"
            height="10"
            role="img"
            aria-label={words.bar(format.decimal(startedAt), format.decimal(ms ?? 0))}
          >
            <rect class="lane-track" width="100%" height="10" />
            <rect class={markOf(marked)} x={share(startedAt - begin)} width={share(ms ?? 0)} height="10" />
          </svg>
          <span class="sent-figure">{ms === null ? words.notWaitedFor : `${format.decimal(ms)} ms`}</span>
          <span class="sent-figure">
            {isRefused ? <b class="over">{words.refused}</b> : <b>{`${format.rcu(rcu)} RCU`}</b>}
          </span>
        </summary>
        <div class="sent-command">
          <p>{words.command}</p>
          <pre dir="ltr" tabindex={0}>
            <code>{awsCommand(name, input, command)}</code>
          </pre>
          <button
            class="button plan-copy"
            type="button"
            data-copied={words.copied}
            data-refused={words.copyRefused}
            hidden
          >
            {words.copy}
          </button>
          {command?.endpoint === undefined ? <p class="expected">{words.endpoint}</p> : null}
        </div>
      </details>
    </li>
  )
}

/** Returns the part of the page that a request was sent for. */
function partOf({ step, isOfSlice }: SentRequest, { tree }: ExplainedPlan): keyof PictureWords['parts'] {
  if (isOfSlice && tree.inputs.some(({ kind }) => kind === 'slice')) return 'slice'
  return step === 'total' ? 'pageIndex' : step
}

function endOf({ startedAt, ms }: SentRequest): number {
  return startedAt + (ms ?? 0)
}

function lengthOf(together: readonly SentRequest[]): number {
  return Math.max(...together.map(endOf)) - Math.min(...together.map(({ startedAt }) => startedAt))
}

/** How many requests of the plan were sent for another page, which waited for them too. */
function notNoted({ actual }: ExplainedPlan, requests: readonly SentRequest[]): number {
  const noted = requests.filter(({ step, part, ms }) => step !== 'register' && part === undefined && ms !== null)
  return (actual?.requests ?? 0) - noted.length
}
