import type { JSX } from 'hono/jsx/jsx-runtime'
import type { ExplainedPlan } from 'lapidary'
import { count, decimal, money } from '../web/words.ts'
import { millionPages, PRICES } from './plan-price.ts'
import { PlanTree } from './plan-tree.tsx'
import { RejectedPlans } from './rejected-plans.tsx'

const BASIS: Readonly<Record<ExplainedPlan['basis'], string>> = {
  statistics: 'counts',
  declared: 'the declared frequencies',
  default: 'equal frequencies: nothing is counted or declared',
}

/** Shows what a page cost in one line, and below it, folded, how it was read. */
export function PlanSummary({ plan }: { plan: ExplainedPlan }): JSX.Element {
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
              <b>{money(millionPages(plan))}</b> a million pages
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
            <li>
              A million such pages: <b>{money(millionPages(plan))}</b> ({PRICES})
            </li>
          </ul>
          {limits.length === 0 ? null : (
            <ul class="plan-limits">
              {limits.map((limit) => (
                <li>{limit}</li>
              ))}
            </ul>
          )}
          <PlanTree plan={plan} />
          <RejectedPlans plan={plan} />
        </div>
      </details>
    </section>
  )
}
