import type { ExplainedPlan, Page, PlanNote } from 'lapidary'
import { US_EAST_1 } from 'lapidary-adviser'
import { type CostPart, CostStrip, costParts, type SentRequest, SentRequests } from 'lapidary-http/internal/pages'
import { AsOf } from '../as-of.tsx'
import { Icon } from '../icons.tsx'
import { useWords } from '../reader.ts'
import { nameOf, partsBeside } from './beside-parts.ts'
import { MergeRibbon } from './merge-ribbon.tsx'
import { usePictureFormat } from './picture-format.ts'
import { PlanChoice } from './plan-choice.tsx'
import { stepsOf } from './plan-steps.ts'
import { PlanTree } from './plan-tree.tsx'
import { RefusedIndex } from './refused-index.tsx'
import { WordList } from './word-list.tsx'

export interface PlanPanelProps {
  readonly page: Page<unknown>
  /** The name of the layout that the lists are read from. */
  readonly layout: string
  /** What was sent to the database for the page. */
  readonly requests: readonly SentRequest[]
  /** Whether highlights are shown that were read with the list. */
  readonly hasFreeHighlights: boolean
  readonly open: boolean
}

/** How the list on the page was found and what that took: one quiet question, the whole profile when opened. Units are for those who ask. */
export function PlanPanel({ page: { plan, asOf }, layout, requests, hasFreeHighlights, open }: PlanPanelProps) {
  const { plan: say } = useWords().say
  const format = usePictureFormat()
  const beside = partsBeside(requests, say.beside)
  return (
    <section class={open ? 'plan plan-first' : 'plan'} aria-label={say.label}>
      <details id="plan" data-keep="open" open={open}>
        <summary class="plan-summary">
          <span class="plan-how">
            {say.how}
            <Icon name="chevron" />
          </span>
        </summary>
        <div class="plan-body">
          <p class="plan-told">
            <PlanLine plan={plan} beside={beside} /> <AsOf time={asOf} />
          </p>
          <code class="plan-text" dir="ltr">
            {stepsOf(plan.text)}
          </code>
          <PlanFacts plan={plan} layout={layout} />
          <h3>{say.picture.took}</h3>
          <CostStrip
            parts={[...costParts(plan.tree), ...beside]}
            words={say.picture}
            format={format}
            price={US_EAST_1}
          />
          <MergeRibbon plan={plan} />
          <h3>{say.ran}</h3>
          <PlanTree plan={plan} />
          <h3>{say.picture.requests}</h3>
          <SentRequests
            plan={plan}
            requests={requests}
            words={say.picture}
            format={format}
            nameOf={(part) => nameOf(part, say.beside)}
          />
          {plan.notes.length === 0 ? null : (
            <>
              <h3>{say.limits}</h3>
              <ul class="plan-limits">
                {plan.notes.map((note) => (
                  <li>
                    <Note note={note} />
                  </li>
                ))}
              </ul>
            </>
          )}
          <PlanChoice plan={plan} />
          <p class="plan-note">
            {say.basis[plan.basis]}
            {plan.notes.length === 0 ? ` ${say.noLimits}` : ''}
            {hasFreeHighlights ? ` ${say.freeHighlights}` : ''}
          </p>
          <WordList />
          <PlanJson plan={plan} />
        </div>
      </details>
    </section>
  )
}

/** All that the page took, in one sentence. */
function PlanLine({ plan: { actual }, beside }: { plan: ExplainedPlan; beside: readonly CostPart[] }) {
  const { rcu, count, say } = useWords()
  if (actual === null) return null
  const all = beside.reduce((sum, part) => sum + (part.rcu ?? 0), actual.rcu)
  return <span class="plan-line">{say.plan.line(rcu(all), count(actual.rounds, 'round'))}</span>
}

/** What the page read, beside its RCU. */
function PlanFacts({ plan: { actual }, layout }: { plan: ExplainedPlan } & Pick<PlanPanelProps, 'layout'>) {
  const {
    decimal,
    count,
    number,
    percent,
    say: { comma, plan: say },
  } = useWords()
  if (actual === null) return null
  const { itemsRead, itemsReturned } = actual
  const shown = itemsRead === 0 ? '' : ` (${percent(itemsReturned / itemsRead)})`
  return (
    <ul class="plan-facts">
      <li>
        {count(actual.requests, 'request')}
        {comma}
        <bdi>{decimal(actual.ms)} ms</bdi>
        {comma}
        <bdi>{decimal(actual.bytes / 1024)} KB</bdi>
      </li>
      <li>
        {say.shownOf(number(itemsReturned), number(itemsRead))}
        {shown}
      </li>
      <li>
        {say.layout} <b>{layout}</b>
      </li>
    </ul>
  )
}

/** A note of the planner in the reader's language. */
function Note({ note }: { note: PlanNote }) {
  const { number, percent, say } = useWords()
  const { notes } = say.plan
  switch (note.kind) {
    case 'refused':
      return <RefusedIndex index={note.index} refusal={note.refusal} />
    case 'filter':
      return <>{notes.filter(percent(note.share))}</>
    case 'filtered':
      return <>{notes.filtered(percent(note.share), number(note.items))}</>
    case 'having':
      return <>{notes.having(percent(note.share))}</>
    case 'unknown':
      return <>{notes.unknown[note.reason]}</>
    case 'behind':
      return <>{notes.behind}</>
    case 'unreadable':
      return <>{notes.unreadable(note.id, note.attribute, note.number)}</>
    case 'stopped':
      return <>{notes.stopped[note.by]}</>
  }
}

/** Text that can be selected; the script adds a button that copies it. */
function PlanJson({ plan }: { plan: ExplainedPlan }) {
  const { plan: say } = useWords().say
  return (
    <div class="plan-json">
      <button
        class="button plan-copy"
        type="button"
        data-copied={say.picture.copied}
        data-refused={say.picture.copyRefused}
        hidden
      >
        {say.copy}
      </button>
      <details>
        <summary>{say.json}</summary>
        <section class="plan-json-text" tabindex={0} aria-label={say.json}>
          <pre id="plan-json" dir="ltr">
            {JSON.stringify(plan, null, 1)}
          </pre>
        </section>
      </details>
    </div>
  )
}
