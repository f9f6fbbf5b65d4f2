import type { ExplainedNode, ExplainedPlan } from 'lapidary'
import { count } from './count-text.ts'
import { padded } from './text-table.ts'

const BASIS: Readonly<Record<ExplainedPlan['basis'], string>> = {
  statistics: 'statistics',
  declared: 'the declared frequencies',
  default: 'equal frequencies: none are declared',
}

/** Writes a plan for people: the tree with its estimates beside what was read, the total, the requests, and the rejected plans. */
export function planReport(plan: ExplainedPlan): string {
  const parts = [plan.text, '', treeText(plan.tree), '', totalsText(plan)]
  const requests = requestsText(plan.tree)
  if (requests.length > 0) parts.push('', 'Requests', ...requests)
  if (plan.limits.length > 0) parts.push('', 'Limits', ...plan.limits.map((limit) => `  ${limit}`))
  if (plan.rejected.length > 0) {
    parts.push('', 'Rejected')
    for (const { text, rcu, reason } of plan.rejected) {
      parts.push(`  ${text}`, `    ${rcu === null ? '' : `${count(rcu)} RCU; `}${reason}`)
    }
  }
  return `${parts.join('\n')}\n`
}

function treeText(root: ExplainedNode): string {
  const rows = [...treeRows(root, '', '')]
  const widths = [0, 1].map((i) => Math.max(...rows.map((row) => (row[i] ?? '').length)))
  return rows
    .map(([name = '', estimated = '', actual = '']) =>
      `${padded(name, widths[0] ?? 0)}  ${padded(estimated, widths[1] ?? 0)}  ${actual}`.trimEnd(),
    )
    .join('\n')
}

function actualText(actual: NonNullable<ExplainedNode['actual']>): string {
  const took = `${count(actual.rcu)} RCU, ${count(actual.requests, 'request')}`
  if (actual.rounds !== undefined) return `${took}, ${count(actual.rounds, 'round')}`
  return `${took}, read ${actual.itemsRead}, returned ${actual.itemsReturned}, discarded ${actual.itemsDiscarded}`
}

function* treeRows(node: ExplainedNode, first: string, rest: string): Generator<readonly string[]> {
  const { text, estimated, actual, inputs } = node
  yield [
    first + text,
    `(estimated ${count(estimated.rcu)} RCU${actual?.rounds === undefined ? `, ${count(estimated.items, 'item')}` : ''})`,
    actual === null ? '' : `(actual ${actualText(actual)})`,
  ]
  for (const [i, input] of inputs.entries()) {
    const last = i === inputs.length - 1
    yield* treeRows(input, `${rest}${last ? '└─ ' : '├─ '}`, `${rest}${last ? '   ' : '│  '}`)
  }
}

function totalsText({ estimated, actual, basis }: ExplainedPlan): string {
  const from = `estimates from ${BASIS[basis]}`
  const lines = [
    `Estimated  ${count(estimated.rcu)} RCU, ${count(estimated.requests, 'request')}, ${count(estimated.rounds, 'round')}; ${from}`,
  ]
  if (actual !== null) {
    const { itemsReturned, itemsFilteredOut, itemsReadAhead } = actual
    lines.push(
      `Actual     ${count(actual.rcu)} RCU, ${count(actual.requests, 'request')}, ${count(actual.rounds, 'round')}; ${count(actual.bytes, 'byte')}, ` +
        `${count(actual.itemsRead, 'item')} read: ${itemsReturned} returned, ${itemsReadAhead} read ahead, ${itemsFilteredOut} filtered out; ${actual.ms.toFixed(1)} ms`,
    )
  }
  return lines.join('\n')
}

/** The Query that each list began with. */
function requestsText(root: ExplainedNode): readonly string[] {
  const { request, inputs, text } = root
  const own =
    request === undefined
      ? []
      : [`  ${text}`, `    ${request.keyCondition}, limit ${request.limit}, ${request.consistency}ly consistent`]
  return [...own, ...inputs.flatMap(requestsText)]
}
