import type { ExplainedNode, ExplainedPlan } from 'lapidary'
import { count } from './count-text.ts'
import { padded } from './text-table.ts'

const BASIS: Readonly<Record<ExplainedPlan['basis'], string>> = {
  statistics: 'statistics',
  declared: 'the declared frequencies',
  default: 'equal frequencies: none are declared',
}

/** Writes a plan for people: the tree with its estimates beside what was read, the total, and the rejected plans. */
export function planReport(plan: ExplainedPlan): string {
  const parts = [plan.text, '', treeText(plan.tree), '', totalsText(plan)]
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

function* treeRows(node: ExplainedNode, first: string, rest: string): Generator<readonly string[]> {
  const { text, estimated, actual, inputs } = node
  yield [
    first + text,
    `(estimated ${count(estimated.rcu)} RCU, ${count(estimated.items, 'item')})`,
    actual === null
      ? ''
      : `(actual ${count(actual.rcu)} RCU, ${count(actual.requests, 'request')}, read ${actual.itemsRead}, returned ${actual.itemsReturned}, discarded ${actual.itemsDiscarded})`,
  ]
  for (const [i, input] of inputs.entries()) {
    const last = i === inputs.length - 1
    yield* treeRows(input, `${rest}${last ? '└─ ' : '├─ '}`, `${rest}${last ? '   ' : '│  '}`)
  }
}

function totalsText({ estimated, actual, basis, pageIndex }: ExplainedPlan): string {
  const from = `estimates from ${BASIS[basis]}`
  const lines = [
    `Estimated  ${count(estimated.rcu)} RCU, ${count(estimated.requests, 'request')}, ${count(estimated.rounds, 'round')}; ${from}`,
  ]
  if (actual !== null) {
    lines.push(
      `Actual     ${count(actual.rcu)} RCU, ${count(actual.requests, 'request')}, ${count(actual.rounds, 'round')}; ${count(actual.bytes, 'byte')}, ` +
        `${count(actual.itemsRead, 'item')} read, ${actual.itemsReturned} returned, ${actual.itemsDiscarded} discarded; ${actual.ms.toFixed(1)} ms`,
    )
  }
  if (pageIndex !== null) {
    lines.push(`Page index ${count(pageIndex.rcu)} RCU, ${count(pageIndex.rounds, 'round')}`)
  }
  return lines.join('\n')
}
