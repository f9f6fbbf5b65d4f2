import type { ExplainedPlan } from 'lapidary'
import { Icon } from '../icons.tsx'
import { count, decimal, percent, rcu } from '../words.ts'
import { PlanTree } from './plan-tree.tsx'
import { RejectedPlans } from './rejected-plans.tsx'
import { WordList } from './word-list.tsx'

const BASIS: Readonly<Record<ExplainedPlan['basis'], string>> = {
  statistics: 'Expected figures come from statistics: exact counts of this product’s comments.',
  declared:
    'Expected figures come from the frequencies declared for each rating; statistics of this product are not known.',
  default:
    'Expected figures take every value to be equally frequent; nothing was declared and no statistics are known.',
}

const BASIS_NAME: Readonly<Record<ExplainedPlan['basis'], string>> = {
  statistics: 'from statistics',
  declared: 'from declared frequencies',
  default: 'from default frequencies',
}

export interface PlanPanelProps {
  readonly plan: ExplainedPlan
  /** What the highlights took beside the list; undefined when there are none. */
  readonly highlightsRcu?: number | undefined
}

/** How the list on the page was found and what that took: one line always in sight, the whole profile when opened. */
export function PlanPanel({ plan, highlightsRcu }: PlanPanelProps) {
  return (
    <section class="plan" aria-label="Query plan">
      <details id="plan" data-keep="open">
        <summary class="plan-summary">
          <span class="plan-heading">
            Query plan
            <Icon name="chevron" />
          </span>
          <PlanLine plan={plan} highlightsRcu={highlightsRcu} />
          <code class="plan-text">{plan.text.split(' -- ')[0]}</code>
        </summary>
        <div class="plan-body">
          <PlanFigures plan={plan} highlightsRcu={highlightsRcu} />
          <h3>What ran</h3>
          <PlanTree tree={plan.tree} />
          {plan.limits.length === 0 ? null : (
            <>
              <h3>Skipped, limits and warnings</h3>
              <ul class="plan-limits">
                {plan.limits.map((limit) => (
                  <li>{limit}</li>
                ))}
              </ul>
            </>
          )}
          <RejectedPlans rejected={plan.rejected} />
          <p class="plan-note">
            {BASIS[plan.basis]}
            {plan.limits.length === 0 ? ' No list was skipped and no limit was hit.' : ''}
            {highlightsRcu === 0 ? ' The highlights are on this page, and took nothing more.' : ''}
          </p>
          <WordList />
          <PlanJson plan={plan} />
        </div>
      </details>
    </section>
  )
}

/** The figures that tell a good plan from a bad one, in one line. */
function PlanLine({ plan: { actual, statisticsRcu }, highlightsRcu }: PlanPanelProps) {
  if (actual === null) return null
  return (
    <span class="plan-line">
      <b>{rcu(actual.rcu)} RCU</b>
      {statisticsRcu ? <span>+ {rcu(statisticsRcu)} counts</span> : null}
      {highlightsRcu ? <span>+ {rcu(highlightsRcu)} highlights</span> : null}
      <span>{count(actual.rounds, 'round')}</span>
      <span>{count(actual.requests, 'request')}</span>
      <span>{decimal(actual.ms)} ms</span>
      <span class="plan-yield">
        {actual.itemsReturned} shown of {actual.itemsRead} read
        <Yield shown={actual.itemsReturned} read={actual.itemsRead} />
      </span>
    </span>
  )
}

/** How much of what was read is on the page, at a glance. */
function Yield({ shown, read }: { shown: number; read: number }) {
  return (
    <svg class="yield" width="64" height="8" aria-hidden="true">
      <rect class="yield-read" width="64" height="8" rx="2" />
      <rect class="lane-emitted" width={read === 0 ? 64 : Math.round((64 * shown) / read)} height="8" rx="2" />
    </svg>
  )
}

function PlanFigures({ plan, highlightsRcu }: PlanPanelProps) {
  const { actual, estimated, statisticsRcu, basis } = plan
  if (actual === null) return null
  const { itemsRead, itemsReturned } = actual
  const efficiency = itemsRead === 0 ? 1 : itemsReturned / itemsRead
  return (
    <dl class="figures">
      <Figure
        name="Capacity"
        value={rcu(actual.rcu)}
        unit="RCU"
        beside={[
          `expected ${rcu(estimated.rcu)} ${BASIS_NAME[basis]}`,
          ...(statisticsRcu ? [`${rcu(statisticsRcu)} more for the counts`] : []),
          ...(highlightsRcu ? [`${rcu(highlightsRcu)} more for the highlights`] : []),
        ].join('; ')}
      />
      <Figure
        name="Rounds"
        value={decimal(actual.rounds)}
        unit=""
        beside={`expected ${decimal(estimated.rounds)} · ${count(actual.requests, 'request')}`}
      />
      <Figure name="Time" value={decimal(actual.ms)} unit="ms" beside={`${decimal(actual.bytes / 1024)} KB read`} />
      <Figure
        name="Efficiency"
        value={percent(efficiency)}
        unit=""
        beside={`${itemsReturned} shown of ${itemsRead} read`}
      />
    </dl>
  )
}

function Figure({ name, value, unit, beside }: { name: string; value: string; unit: string; beside: string }) {
  return (
    <div class="figure">
      <dt>{name}</dt>
      <dd class="figure-value">
        {value}
        {unit === '' ? null : <span class="figure-unit"> {unit}</span>}
      </dd>
      <dd class="figure-beside">{beside}</dd>
    </div>
  )
}

/** Text that can be selected; the script adds a button that copies it. */
function PlanJson({ plan }: { plan: ExplainedPlan }) {
  return (
    <div class="plan-json">
      <button class="button plan-copy" type="button" id="plan-copy" hidden>
        Copy as JSON
      </button>
      <details>
        <summary>The plan as JSON</summary>
        <section class="plan-json-text" tabindex={0} aria-label="The plan as JSON">
          <pre id="plan-json">{JSON.stringify(plan, null, 2)}</pre>
        </section>
      </details>
    </div>
  )
}
