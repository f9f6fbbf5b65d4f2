import type { ExplainedNode, ExplainedPlan } from 'lapidary'
import { colourOf, isBeside, isOver, planRows, sourcesOf, stepText } from 'lapidary-http/internal/pages'
import { useWords } from '../reader.ts'

/** The tree of the plan with expected beside actual at each step, and a lane for each list that was read. */
export function PlanTree({ plan: { tree } }: { plan: ExplainedPlan }) {
  const {
    decimal,
    number,
    percent,
    exactRcu,
    say: { plan: say },
  } = useWords()
  const rows = planRows(tree)
  const sources = sourcesOf(tree)
  const costliest = costliestOf(sources)
  const longest = Math.max(
    1,
    ...rows.map(({ node }) =>
      node.kind === 'source' ? Math.max(node.estimated.items, node.actual?.itemsRead ?? 0) : 0,
    ),
  )
  return (
    <>
      <svg class="sprite" aria-hidden="true" width="0" height="0">
        <pattern id="discarded" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect class="lane-ground" width="6" height="6" />
          <rect class="lane-hatch" width="2.5" height="6" />
        </pattern>
      </svg>
      <p class="keys">
        <span class="key key-emitted">{say.shown}</span> <span class="key key-discarded">{say.discarded}</span>{' '}
        <span class="key key-expected">{say.expected}</span>
      </p>
      <table class="tree">
        <colgroup>
          <col />
          <col />
        </colgroup>
        <colgroup span={3} />
        <colgroup span={2} />
        <thead>
          <tr>
            <th scope="col" rowspan={2}>
              {say.step}
            </th>
            <td rowspan={2} />
            <th scope="colgroup" colspan={3} class="group">
              {say.items}
            </th>
            <th scope="colgroup" colspan={2} class="group">
              RCU
            </th>
          </tr>
          <tr>
            <th scope="col" class="number">
              {say.expected}
            </th>
            <th scope="col" class="number">
              {say.read}
            </th>
            <th scope="col" class="number">
              {say.shown}
            </th>
            <th scope="col" class="number rcu-expected">
              {say.expected}
            </th>
            <th scope="col" class="number">
              {say.used}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ node, branch }) => (
            <tr class={node === costliest ? 'step step-costliest' : 'step'}>
              <th scope="row">
                <div class="step-name">
                  {branch === '' ? null : (
                    <span class="branch" aria-hidden="true">
                      {branch}
                    </span>
                  )}
                  <span>
                    <b>{say.steps[node.kind]}</b>{' '}
                    {node.kind === 'source' && sources.length > 1 ? (
                      <span class={`list-number ${colourOf(sources.indexOf(node))}`}>{sources.indexOf(node) + 1}</span>
                    ) : null}{' '}
                    {node.reason === undefined ? (
                      <code>{withoutHitRate(stepText(node))}</code>
                    ) : (
                      say.nothing[node.reason]
                    )}
                    {node.request === undefined ? null : <Request request={node.request} />}
                    {node.kind === 'filter' ? ` ${say.letsThrough(percent(hitRate(node)))}` : null}
                    {node === costliest ? <span class="costliest"> {say.costliest}</span> : null}
                  </span>
                </div>
              </th>
              <td class="lane-cell">
                {node.kind === 'source' ? <Lane node={node} source={sources.indexOf(node)} longest={longest} /> : null}
              </td>
              <td class="number expected" data-label={say.itemsExpected}>
                {isBeside(node) ? null : decimal(node.estimated.items)}
              </td>
              <td class="number" data-label={say.read}>
                {isBeside(node) ? null : node.actual === null ? '–' : number(node.actual.itemsRead)}
              </td>
              <td class="number" data-label={say.shown}>
                {isBeside(node) ? null : node.actual === null ? '–' : number(node.actual.itemsReturned)}
              </td>
              <td class="number expected rcu-expected" data-label={say.rcuExpected}>
                {exactRcu(node.estimated.rcu)}
              </td>
              <td class="number rcu-used" data-label={say.used}>
                <UsedCapacity node={node} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}

/** The list that took the most; undefined where none took more than another. */
function costliestOf(sources: readonly ExplainedNode[]): ExplainedNode | undefined {
  const [first, second] = sources.toSorted((a, b) => (b.actual?.rcu ?? 0) - (a.actual?.rcu ?? 0))
  return (first?.actual?.rcu ?? 0) > (second?.actual?.rcu ?? Number.POSITIVE_INFINITY) ? first : undefined
}

function UsedCapacity({ node }: { node: ExplainedNode }) {
  const { rcu, say } = useWords()
  const { actual } = node
  if (actual === null) return <>–</>
  if (!isOver(node)) return <b>{rcu(actual.rcu)}</b>
  return (
    <b class="over">
      <span aria-hidden="true">▲ </span>
      {rcu(actual.rcu)}
      <span class="visually-hidden"> {say.plan.moreThanExpected}</span>
    </b>
  )
}

interface LaneProps {
  readonly node: ExplainedNode
  /** Its place among the lists of the plan. */
  readonly source: number
  readonly longest: number
}

/** Items read of one list: what was shown, what was read for nothing, and a mark where the plan expected it to end. */
function Lane({ node: { actual, estimated }, source, longest }: LaneProps) {
  const { number, say } = useWords()
  const share = (items: number) => `${((100 * items) / longest).toFixed(2)}%`
  const { itemsReturned = 0, itemsDiscarded = 0, itemsReadAhead = 0, itemsFilteredOut = 0 } = actual ?? {}
  const counts = [itemsReturned, itemsDiscarded, itemsReadAhead, itemsFilteredOut] as const
  const [shown, discarded, ahead, filtered] = counts.map((count) => number(count)) as [string, string, string, string]
  const label = say.plan.lane(shown, discarded, ahead, filtered)
  return (
    <svg class="lane" height="18" role="img" aria-label={label}>
      <rect class="lane-track" width="100%" height="18" rx="2" />
      <rect class={`lane-emitted ${colourOf(source)}`} width={share(itemsReturned)} height="18" rx="2" />
      <rect
        class="lane-discarded"
        fill="url(#discarded)"
        x={share(itemsReturned)}
        width={share(itemsDiscarded)}
        height="18"
        rx="2"
      />
      <rect class="lane-expected" x={share(estimated.items)} width="2" height="24" y="-3" />
    </svg>
  )
}

/** The Query that DynamoDB got. */
function Request({ request: { keyCondition, limit } }: { request: NonNullable<ExplainedNode['request']> }) {
  const { say } = useWords()
  return (
    <small class="step-request">
      <code>{keyCondition}</code> {say.plan.request(String(limit))}
    </small>
  )
}

/** RCU that the lists took, without what is read beside them. */
export function listsRcu(tree: ExplainedNode): number {
  return tree.inputs.reduce((sum, node) => sum + (isBeside(node) ? 0 : (node.actual?.rcu ?? 0)), 0)
}

/** What a filter lets through is said beside it. */
function withoutHitRate(text: string): string {
  return text.replace(/ \(lets through \d+ %\)$/, '')
}

function hitRate({ estimated, inputs: [input] }: ExplainedNode): number {
  return estimated.items / (input?.estimated.items || 1)
}
