import type { ExplainedPlan } from 'lapidary'
import { colourOf, sourcesOf } from 'lapidary-http/internal/pages'
import { useWords } from '../reader.ts'

/** Shows the slots of the page in their order, each in the colour of the list that it came from: how lists became a page. */
export function MergeRibbon({ plan: { slots, tree } }: { plan: ExplainedPlan }) {
  const { count, number, say } = useWords()
  const sources = sourcesOf(tree)
  if (slots === null || slots.length === 0 || sources.length < 2) return null
  const given = sources.map((_, i) => slots.filter((source) => source === i).length)
  const told = sources
    .flatMap(({ text }, i) => (given[i] === 0 ? [] : [say.plan.slotsFrom(number(given[i] ?? 0), text)]))
    .join(', ')
  return (
    <>
      <h3>{say.plan.became(count(sources.length, 'list'))}</h3>
      <svg class="ribbon" height="28" role="img" aria-label={say.plan.slots(told)}>
        {slots.map((source, i) => {
          const at = (share: number) => `${((100 * share) / slots.length).toFixed(2)}%`
          return (
            <>
              <rect class={colourOf(source)} x={at(i + 0.04)} width={at(0.92)} height="28" rx="3" />
              <text class="ribbon-number" x={at(i + 0.5)} y="19">
                {source + 1}
              </text>
            </>
          )
        })}
      </svg>
      <p class="ribbon-ends" aria-hidden="true">
        <span>{say.plan.firstSlot}</span>
        <span>{say.plan.lastSlot}</span>
      </p>
    </>
  )
}
