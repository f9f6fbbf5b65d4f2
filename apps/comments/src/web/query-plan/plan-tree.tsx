import type { ExplainedNode, ExplainedPlan } from 'lapidary'
import { colourOf, costliestOf, isBeside, isOver, planRows, sourcesOf, stepText } from 'lapidary-http/internal/pages'
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
  const costliest = costliestOf(tree)
  const firstOrdered = rows.find(({ node }) => node.text.includes(' BY position'))?.node
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
        <span class="key key-emitted">{say.shown}</span> <span class="key key-ahead">{say.picture.readAhead}</span>{' '}
        <span class="key key-discarded">{say.picture.filteredOut}</span>{' '}
        <span class="key key-expected">{say.expected}</span>
      </p>
      <table class="tree">
        <colgroup>
          <col />
          <col />
        </colgroup>
        <colgroup span={5} />
        <colgroup span={2} />
        <thead>
          <tr>
            <th scope="col" rowspan={2}>
              {say.step}
            </th>
            <td rowspan={2} />
            <th scope="colgroup" colspan={5} class="group">
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
            <th scope="col" class="number">
              {say.picture.readAhead}
            </th>
            <th scope="col" class="number">
              {say.picture.filteredOut}
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
                    {node === firstOrdered ? <small class="step-request">{say.picture.position}</small> : null}
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
              <td class="number" data-label={say.picture.readAhead}>
                {isBeside(node) ? null : node.actual === null ? '–' : number(node.actual.itemsReadAhead)}
              </td>
              <td class="number" data-label={say.picture.filteredOut}>
                {isBeside(node) ? null : node.actual === null ? '–' : number(node.actual.itemsFilteredOut)}
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
  const { itemsReturned = 0, itemsReadAhead = 0, itemsFilteredOut = 0 } = actual ?? {}
  const label = say.plan.lane(number(itemsReturned), number(itemsReadAhead), number(itemsFilteredOut))
  return (
    <svg class="lane" height="18" role="img" aria-label={label}>
      <rect class="lane-track" width="100%" height="18" rx="2" />
      <rect class={`lane-emitted ${colourOf(source)}`} width={share(itemsReturned)} height="18" rx="2" />
      <rect
        class={`lane-ahead ${colourOf(source)}`}
        x={share(itemsReturned)}
        width={share(itemsReadAhead)}
        height="18"
        rx="2"
      />
      <rect
        class="lane-discarded"
        fill="url(#discarded)"
        x={share(itemsReturned + itemsReadAhead)}
        width={share(itemsFilteredOut)}
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

/** What a filter lets through is said beside it. */
function withoutHitRate(text: string): string {
  return text.replace(/ \(lets through \d+ %\)$/, '')
}

function hitRate({ estimated, inputs: [input] }: ExplainedNode): number {
  return estimated.items / (input?.estimated.items || 1)
}
