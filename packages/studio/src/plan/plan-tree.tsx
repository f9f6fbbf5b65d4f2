import type { JSX } from 'hono/jsx/jsx-runtime'
import type { ExplainedNode, ExplainedPlan } from 'lapidary'
import { decimal, number } from '../web/words.ts'

/** The colours of lists; with more lists, colours repeat, and the numbers tell the lists apart. */
const COLOURS = 6

interface Row {
  readonly node: ExplainedNode
  /** The lines that join a step to the one above it. */
  readonly branch: string
}

const STEPS: Readonly<Record<ExplainedNode['kind'], string>> = {
  ...{ source: 'List', filter: 'Filter', merge: 'Merge', columns: 'Columns', having: 'Having', limit: 'Page' },
  ...{ empty: 'Nothing', counts: 'Counts', pageIndex: 'Page index', slice: 'Given up', written: 'Written' },
}

/** Shows the tree of the plan: expected beside actual at each step, the request that each list began with, and what was read for nothing. */
export function PlanTree({ plan: { tree } }: { plan: ExplainedPlan }): JSX.Element {
  const rows = rowsOf(tree)
  const lists = rows.flatMap(({ node }) => (node.kind === 'source' ? [node] : []))
  const longest = Math.max(
    1,
    ...lists.map(({ estimated, actual }) => Math.max(estimated.items, actual?.itemsRead ?? 0)),
  )
  return (
    <section class="tree-frame" tabindex={0} aria-label="Steps of the plan">
      <table class="tree">
        <thead>
          <tr>
            <th scope="col">Step</th>
            <th scope="col" class="lane-cell">
              Items
            </th>
            <th scope="col" class="number">
              expected
            </th>
            <th scope="col" class="number">
              read
            </th>
            <th scope="col" class="number">
              shown
            </th>
            <th scope="col" class="number">
              RCU expected
            </th>
            <th scope="col" class="number">
              used
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ node, branch }) => (
            <Step node={node} branch={branch} list={lists.indexOf(node)} lists={lists.length} longest={longest} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

interface StepProps extends Row {
  /** Its place among the lists; -1 for a step that is none. */
  readonly list: number
  readonly lists: number
  readonly longest: number
}

function Step({ node, branch, list, lists, longest }: StepProps): JSX.Element {
  const { kind, text, request, estimated, actual } = node
  const hasItems = kind !== 'counts' && kind !== 'pageIndex' && kind !== 'slice' && kind !== 'written'
  const items = (value: number | undefined) => (hasItems ? (value === undefined ? '–' : number(value)) : null)
  return (
    <tr>
      <th scope="row">
        <div class="step-name">
          {branch === '' ? null : (
            <span class="branch" aria-hidden="true">
              {branch}
            </span>
          )}
          <div>
            <b>{STEPS[kind]}</b>{' '}
            {list >= 0 && lists > 1 ? <span class={`list-number list-${list % COLOURS}`}>{list + 1}</span> : null}{' '}
            <code>{text.replace(/^(LIMIT|MERGE|FILTER|PAGE INDEX|COUNTS) ?/, '')}</code>
            {request === undefined ? null : (
              <code class="step-request">
                Query {request.index ?? 'the table'}: {request.keyCondition}, limit {request.limit}
              </code>
            )}
          </div>
        </div>
      </th>
      <td class="lane-cell">{list < 0 ? null : <Lane node={node} list={list} longest={longest} />}</td>
      <td class="number expected">{hasItems ? decimal(estimated.items) : null}</td>
      <td class="number">{items(actual?.itemsRead)}</td>
      <td class="number">{items(actual?.itemsReturned)}</td>
      <td class="number expected">{decimal(estimated.rcu)}</td>
      <td class="number">
        <Used node={node} />
      </td>
    </tr>
  )
}

/** Half a unit more than expected is one block more than planned: worth a look. */
function Used({ node: { actual, estimated } }: { node: ExplainedNode }): JSX.Element {
  if (actual === null) return <>–</>
  if (actual.rcu - estimated.rcu < 0.5) return <b>{decimal(actual.rcu)}</b>
  return (
    <b class="over">
      <span aria-hidden="true">▲ </span>
      {decimal(actual.rcu)}
      <span class="visually-hidden"> more than expected</span>
    </b>
  )
}

/** Shows the items read of one list: those on the page, those read for nothing, and a mark where the plan expected it to end. */
function Lane({
  node: { actual, estimated },
  list,
  longest,
}: {
  node: ExplainedNode
  list: number
  longest: number
}): JSX.Element {
  const share = (items: number) => `${((100 * items) / longest).toFixed(2)}%`
  const { itemsReturned = 0, itemsDiscarded = 0 } = actual ?? {}
  return (
    <svg
      class="lane"
      height="14"
      role="img"
      aria-label={`${number(itemsReturned)} shown, ${number(itemsDiscarded)} read and not shown, ${decimal(estimated.items)} expected`}
    >
      <rect class="lane-track" width="100%" height="14" rx="2" />
      <rect class={`lane-shown list-${list % COLOURS}`} width={share(itemsReturned)} height="14" rx="2" />
      <rect class="lane-discarded" x={share(itemsReturned)} width={share(itemsDiscarded)} height="14" rx="2" />
      <rect class="lane-expected" x={share(estimated.items)} width="2" height="20" y="-3" />
    </svg>
  )
}

function rowsOf(node: ExplainedNode, branch = '', trunk = ''): readonly Row[] {
  const below = node.inputs.flatMap((input, i) => {
    const isLast = i === node.inputs.length - 1
    return rowsOf(input, `${trunk}${isLast ? '└ ' : '├ '}`, `${trunk}${isLast ? '  ' : '│ '}`)
  })
  return [{ node, branch }, ...below]
}
