import type { JSX } from 'hono/jsx/jsx-runtime'
import type { ExplainedNode, ExplainedPlan } from 'lapidary'
import {
  colourOf,
  costliestOf,
  isBeside,
  isOver,
  PICTURE_IN_ENGLISH,
  type PlanRow,
  planRows,
  sourcesOf,
  stepText,
} from 'lapidary-http/internal/pages'
import { decimal, number } from '../web/words.ts'

const STEPS: Readonly<Record<ExplainedNode['kind'], string>> = {
  ...{ source: 'List', filter: 'Filter', merge: 'Merge', columns: 'Columns', having: 'Having', limit: 'Page' },
  ...{ empty: 'Nothing', counts: 'Counts', pageIndex: 'Page index', slice: 'Given up', written: 'Written' },
}

/** Shows the tree of the plan: expected beside actual at each step, the request that each list began with, and what was read for nothing. */
export function PlanTree({ plan: { tree } }: { plan: ExplainedPlan }): JSX.Element {
  const rows = planRows(tree)
  const lists = sourcesOf(tree)
  const costliest = costliestOf(tree)
  const ordered = rows.find(({ node }) => node.text.includes(' BY position'))?.node
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
              {PICTURE_IN_ENGLISH.readAhead}
            </th>
            <th scope="col" class="number">
              {PICTURE_IN_ENGLISH.filteredOut}
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
            <Step
              {...{ node, branch, longest }}
              list={lists.indexOf(node)}
              lists={lists.length}
              isCostliest={node === costliest}
              isOrdered={node === ordered}
            />
          ))}
        </tbody>
      </table>
    </section>
  )
}

interface StepProps extends PlanRow {
  /** Its place among the lists; -1 for a step that is none. */
  readonly list: number
  readonly lists: number
  readonly longest: number
  /** Whether it took more than any other. */
  readonly isCostliest: boolean
  /** Whether it is the first that says how the list is ordered. */
  readonly isOrdered: boolean
}

function Step({ node, branch, list, lists, longest, isCostliest, isOrdered }: StepProps): JSX.Element {
  const { kind, request, estimated, actual } = node
  const hasItems = !isBeside(node)
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
            {list >= 0 && lists > 1 ? <span class={`list-number ${colourOf(list)}`}>{list + 1}</span> : null}{' '}
            <code>{stepText(node)}</code>
            {isCostliest ? <span class="over"> costliest</span> : null}
            {isOrdered ? <small class="step-request">{PICTURE_IN_ENGLISH.position}</small> : null}
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
      <td class="number">{items(actual?.itemsReadAhead)}</td>
      <td class="number">{items(actual?.itemsFilteredOut)}</td>
      <td class="number expected">{decimal(estimated.rcu)}</td>
      <td class="number">
        <Used node={node} />
      </td>
    </tr>
  )
}

function Used({ node }: { node: ExplainedNode }): JSX.Element {
  const { actual } = node
  if (actual === null) return <>–</>
  if (!isOver(node)) return <b>{decimal(actual.rcu)}</b>
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
  const { itemsReturned = 0, itemsReadAhead = 0, itemsFilteredOut = 0 } = actual ?? {}
  return (
    <svg
      class="lane"
      height="14"
      role="img"
      aria-label={`${number(itemsReturned)} shown, ${number(itemsReadAhead)} read ahead, ${number(itemsFilteredOut)} filtered out, ${decimal(estimated.items)} expected`}
    >
      <rect class="lane-track" width="100%" height="14" rx="2" />
      <rect class={`lane-shown ${colourOf(list)}`} width={share(itemsReturned)} height="14" rx="2" />
      <rect
        class={`lane-ahead ${colourOf(list)}`}
        x={share(itemsReturned)}
        width={share(itemsReadAhead)}
        height="14"
        rx="2"
      />
      <rect
        class="lane-discarded"
        x={share(itemsReturned + itemsReadAhead)}
        width={share(itemsFilteredOut)}
        height="14"
        rx="2"
      />
      <rect class="lane-expected" x={share(estimated.items)} width="2" height="20" y="-3" />
    </svg>
  )
}
