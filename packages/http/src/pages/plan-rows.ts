import type { ExplainedNode } from 'lapidary'

/** A step of a plan as a row of its picture, with the lines that lead to it. */
export interface PlanRow {
  readonly node: ExplainedNode
  readonly branch: string
}

/** Returns the steps of a plan, each before those that it reads from. */
export function planRows(node: ExplainedNode, branch = '', trunk = ''): readonly PlanRow[] {
  const below = node.inputs.flatMap((input, i) => {
    const isLast = i === node.inputs.length - 1
    return planRows(input, `${trunk}${isLast ? '└ ' : '├ '}`, `${trunk}${isLast ? '  ' : '│ '}`)
  })
  return [{ node, branch }, ...below]
}

/** Returns the lists of a plan, in its order: pictures number them by it. */
export function sourcesOf(node: ExplainedNode): readonly ExplainedNode[] {
  return node.kind === 'source' ? [node] : node.inputs.flatMap(sourcesOf)
}

/** The number of colours; with more lists, colours repeat, and the numbers tell the lists apart. */
const COLOURS = 6

/** Returns the class that colours the entries of a list, by its place among the lists of its plan. */
export function colourOf(source: number): string {
  return `list-${source % COLOURS}`
}

const BESIDE: readonly ExplainedNode['kind'][] = ['counts', 'pageIndex', 'slice', 'written']

/** Whether a step reads beside the lists: it reads no items. */
export function isBeside({ kind }: ExplainedNode): boolean {
  return BESIDE.includes(kind)
}

/** The capacity from which a step took more than expected: half a unit is one block more than planned, and worth a look. */
const WORTH_A_LOOK = 0.5

/** Whether a step took more than its plan expected. */
export function isOver({ actual, estimated }: ExplainedNode): boolean {
  return actual !== null && actual.rcu - estimated.rcu >= WORTH_A_LOOK
}

/** Returns the text of a step without its own word, which is said beside it. */
export function stepText({ kind, text }: ExplainedNode): string {
  return kind === 'source' ? text : text.replace(/^(LIMIT|MERGE|FILTER|PAGE INDEX) /, '').replace(/^COUNTS$/, '')
}
