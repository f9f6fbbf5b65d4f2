import type { JSX } from 'hono/jsx/jsx-runtime'
import type { ExplainedPlan } from 'lapidary'
import { US_EAST_1 } from 'lapidary-adviser'
import {
  CostStrip,
  costParts,
  millionPages,
  PICTURE_IN_ENGLISH,
  type PictureFormat,
  type SentRequest,
  SentRequests,
} from 'lapidary-http/internal/pages'
import { count, decimal, money, number } from '../web/words.ts'
import { PlanTree } from './plan-tree.tsx'
import { RejectedPlans } from './rejected-plans.tsx'

const BASIS: Readonly<Record<ExplainedPlan['basis'], string>> = {
  statistics: 'counts',
  declared: 'the declared frequencies',
  default: 'equal frequencies: nothing is counted or declared',
}

const FORMAT: PictureFormat = {
  ...{ rcu: decimal, decimal, number, money },
  requests: (requests) => count(requests, 'request'),
}

export interface PlanSummaryProps {
  readonly plan: ExplainedPlan
  /** What was sent for the page; empty where nothing notes it. */
  readonly requests: readonly SentRequest[]
  /** The address of a DynamoDB that is not AWS's own. */
  readonly endpoint: string | undefined
}

/** Shows what a page cost in one line, and below it, folded, how it was read. */
export function PlanSummary({ plan, requests, endpoint }: PlanSummaryProps): JSX.Element {
  const { actual, estimated, text, limits, basis } = plan
  const steps = text.slice(0, Math.max(0, text.lastIndexOf(' -- ')) || text.length)
  const took = actual ?? estimated
  return (
    <section class="plan" aria-label="Query plan">
      <details id="plan">
        <summary class="plan-line">
          <span class="plan-figures">
            <b>{`${decimal(took.rcu)} RCU`}</b>
            <span>{count(took.requests, 'request')}</span>
            <span>{count(took.rounds, 'round')}</span>
            {actual === null ? null : <span>{`${decimal(actual.ms)} ms`}</span>}
            <span>
              <b>{money(millionPages(took.rcu, US_EAST_1))}</b> a million pages
            </span>
          </span>
          <code class="plan-steps">{steps}</code>
          <span class="plan-how">How</span>
        </summary>
        <div class="plan-body">
          <code class="plan-text">{text}</code>
          <ul class="plan-facts">
            <li>
              Expected <b>{`${decimal(estimated.rcu)} RCU`}</b>, {count(estimated.rounds, 'round')}, by {BASIS[basis]}
            </li>
            {actual === null ? null : (
              <li>
                Read <b>{count(actual.itemsRead, 'item')}</b> ({decimal(actual.bytes / 1024)} KB):{' '}
                {actual.itemsReturned} shown, {actual.itemsReadAhead} read ahead, {actual.itemsFilteredOut} filtered out
              </li>
            )}
          </ul>
          <h2>{PICTURE_IN_ENGLISH.took}</h2>
          <CostStrip parts={costParts(plan.tree)} words={PICTURE_IN_ENGLISH} format={FORMAT} price={US_EAST_1} />
          {limits.length === 0 ? null : (
            <ul class="plan-limits">
              {limits.map((limit) => (
                <li>{limit}</li>
              ))}
            </ul>
          )}
          <h2>What ran</h2>
          <PlanTree plan={plan} />
          {requests.length === 0 ? null : (
            <>
              <h2>{PICTURE_IN_ENGLISH.requests}</h2>
              <SentRequests {...{ plan, requests }} words={PICTURE_IN_ENGLISH} format={FORMAT} command={{ endpoint }} />
            </>
          )}
          <RejectedPlans plan={plan} />
        </div>
      </details>
    </section>
  )
}
