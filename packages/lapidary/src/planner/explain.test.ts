import fc from 'fast-check'
import { collectionCase, collectionOf, queryOf } from 'lapidary-testing'
import { expect, test } from 'vitest'
import { comments } from '../../test/comments-fixture.ts'
import { indexes } from '../layouts/indexes/indexes.ts'
import { type Collection, defineCollection } from '../model/collection.ts'
import { parseQuery, type QueryInput } from '../model/query.ts'
import type { Run, SourceRun } from './actual.ts'
import type { Beside } from './beside.ts'
import { declaredEstimates } from './estimates.ts'
import { type ExplainedNode, explainPlan, type NodeActual } from './explain.ts'
import { type Plan, planSources, type SourceNode } from './plan.ts'
import { noteText } from './plan-note.ts'
import { planQuery } from './plan-query.ts'

const planOf = (input: QueryInput, collection: Collection = comments, maxSources?: number): Plan =>
  planQuery(
    indexes().of(collection),
    parseQuery(collection, input),
    declaredEstimates(collection),
    maxSources === undefined ? {} : { maxSources },
  )

/** A run that gave so many items, of which each source tells other figures. */
function runOf(plan: Plan, returned: number, stoppedBy?: Run['stoppedBy']): Run {
  const planned = planSources(plan).map(({ source }) => source)
  const sources = planned.map(
    ({ list }, i): SourceRun => ({
      rcu: 0.5 + i,
      requests: 1 + i,
      itemsRead: 10 * (1 + i),
      itemsReturned: 2 + i,
      bytes: 100 * (1 + i),
      passed: 10 * (1 + i),
      withheld: 0,
      ahead: i,
      sent: {
        index: list.index,
        condition: { expression: '#pk = :pk', names: { '#pk': 'PK' }, values: { ':pk': { S: 'a "b"' } } },
        limit: 7 + i,
      },
    }),
  )
  const actual = { ...{ rcu: 9, requests: 9, rounds: 2, itemsRead: 9, itemsReturned: returned }, ...OTHERS }
  const heads = Array.from({ length: returned }, (_, i) => ({ source: planned[i % planned.length] as SourceNode }))
  return { actual, sources, heads, stoppedBy }
}
const OTHERS = { itemsDiscarded: 0, itemsFilteredOut: 0, itemsReadAhead: 0, bytes: 9, ms: 9 }

/** The tree as lines, with figures to a tenth: `kind text | estimated | actual`. */
function lines({ kind, text, estimated, actual, inputs }: ExplainedNode, depth = 0): string[] {
  const tenths = (value: number): number => Math.round(value * 10) / 10
  const figures = actual === null ? 'not run' : Object.entries(actual).map(([name, value]) => `${value} ${name}`)
  const line = `${'  '.repeat(depth)}${kind}: ${text} | ${tenths(estimated.rcu)} rcu, ${tenths(estimated.items)} items | ${figures}`
  return [line, ...inputs.flatMap((input) => lines(input, depth + 1))]
}

const filtered = defineCollection({ ...comments, indexes: { byLanguage: { partition: ['language'] } } } as never)

test.each<[string, QueryInput, Collection]>([
  ['one list', { scope: '42', where: { language: 'en' } }, comments],
  ['a merge', { scope: '42', where: { language: 'en', rating: [1, 3] }, order: 'oldest', limit: 50 }, comments],
  ['a filter', { scope: '42', where: { language: 'en', rating: [4, 5] } }, filtered],
  ['nothing', { scope: '42', where: { rating: [] } }, comments],
])('the tree of %s, before and after it was run', (_, input, collection) => {
  const plan = planOf(input, collection)
  expect(lines(explainPlan(plan).tree)).toMatchSnapshot()
  expect(lines(explainPlan(plan, runOf(plan, 4)).tree)).toMatchSnapshot()
})

const plans = collectionCase().chain((made) =>
  queryOf(made).map((input) => planOf(input, collectionOf(made), made.maxSources)),
)

function leavesOf(node: ExplainedNode): readonly ExplainedNode[] {
  return node.inputs.length === 0 ? [node] : node.inputs.flatMap(leavesOf)
}

test('each node took what its leaves took, and the root gave what came back', () => {
  fc.assert(
    fc.property(plans, fc.nat(20), (plan, returned) => {
      const run = runOf(plan, returned)
      const expectSum = (node: ExplainedNode): void => {
        const leaves = leavesOf(node).map(({ actual }) => actual)
        for (const field of ['rcu', 'requests', 'itemsRead', 'bytes'] as const)
          expect(node.actual?.[field]).toBe(leaves.reduce((sum, leaf) => sum + (leaf as NodeActual)[field], 0))
        const {
          itemsRead = 0,
          itemsReturned = 0,
          itemsDiscarded,
          itemsFilteredOut = 0,
          itemsReadAhead = 0,
        } = node.actual ?? {}
        expect(itemsDiscarded).toBe(itemsRead - itemsReturned)
        expect(itemsFilteredOut + itemsReadAhead).toBe(itemsDiscarded)
        for (const input of node.inputs) expectSum(input)
      }
      const { tree } = explainPlan(plan, run)
      expectSum(tree)
      if (plan.root.kind === 'limit') {
        expect(tree.actual?.itemsReturned).toBe(returned)
        expect(leavesOf(tree).map(({ actual }) => actual)).toMatchObject(
          run.sources.map(({ passed: _, withheld: __, ahead, sent: ___, ...shown }) => ({
            ...shown,
            itemsReadAhead: ahead,
          })),
        )
      }
    }),
  )
})

test('beside the tree stand the totals, and why a run was stopped', () => {
  const plan = planOf({ scope: '42', where: { language: 'en', rating: [2, 3] } }, filtered)
  const { text, estimated, rejected, basis, notes } = plan
  const planned = { text, estimated, rejected, basis }
  expect(explainPlan(plan)).toMatchObject({ ...planned, actual: null, notes, statisticsRcu: null })
  const run = runOf(plan, 3)
  expect(explainPlan(plan, run)).toMatchObject({ ...planned, actual: run.actual, notes, statisticsRcu: null })
  const stopped = explainPlan(plan, runOf(plan, 3, 'aborted'))
  expect(stopped.notes).toEqual([...notes, { kind: 'stopped', by: 'aborted' }])
  expect(stopped.limits).toEqual([...notes.map(noteText), 'aborted'])
})

test('each item of the page has the list that it came from, those that were passed over none', () => {
  const plan = planOf({ scope: '42', where: { language: 'en', rating: [2, 3] } })
  const run = runOf(plan, 3)
  expect(explainPlan(plan).slots).toBeNull()
  expect(explainPlan(plan, run).slots).toEqual([0, 1, 0])
  const instead = { text: 'PAGE INDEX', rcu: 9, rounds: 3, reason: '' }
  expect(explainPlan(plan, run, { skip: { items: 1, instead } }).slots).toEqual([1, 0])
})

/** A run in which a plan's sources read so many items, of which so many passed the filter, and of those so many were withheld. */
function filteredRun(plan: Plan, itemsRead: number, passed: number, withheld = 0): Run {
  const run = runOf(plan, 2)
  const [first] = run.sources
  const sources = run.sources.map((source, i) => ({ ...source, ...(i === 0 ? { itemsRead, passed, withheld } : {}) }))
  const others = sources.slice(1).map((source) => ({ ...source, itemsRead: 0, passed: 0 }))
  return { ...run, sources: first === undefined ? [] : [sources[0] as SourceRun, ...others] }
}
const notesOf = (plan: Plan, run: Run) => explainPlan(plan, run).notes.slice(plan.notes.length)

test('a filter that discards more than it was expected to is told, once more than a page was read', () => {
  const plan = planOf({ scope: '42', where: { language: 'en', rating: [4, 5] }, limit: 20 }, filtered)
  expect(notesOf(plan, filteredRun(plan, 100, 29))).toEqual([{ kind: 'filtered', share: 0.29, items: 100 }])
  expect(notesOf(plan, filteredRun(plan, 100, 30))).toEqual([])
  expect(notesOf(plan, filteredRun(plan, 20, 1))).toEqual([])
  expect(notesOf(plan, filteredRun(plan, 21, 1))).toMatchObject([{ kind: 'filtered', items: 21 }])
  // A plan that expected it has said so, and one without a filter has none to blame.
  const expected = planOf({ scope: '42', where: { language: 'en', rating: [2] } }, filtered)
  expect(expected.notes).toMatchObject([{ kind: 'filter' }])
  expect(notesOf(expected, filteredRun(expected, 100, 5))).toEqual([])
  const list = planOf({ scope: '42', where: { language: 'en' } })
  expect(notesOf(list, filteredRun(list, 100, 5))).toEqual([])
  const merge = planOf({ scope: '42', where: { language: 'en', rating: [1, 3] } })
  expect(notesOf(merge, filteredRun(merge, 100, 5))).toEqual([])
})

test('a function that lets little through is told by what it judged, and stands in the tree', () => {
  const asked = planOf({ scope: '42', where: { language: 'en' } })
  const judging: Plan = { ...asked, query: { ...asked.query, having: true } }
  expect(notesOf(judging, filteredRun(judging, 50, 40, 29))).toEqual([{ kind: 'having', share: 11 / 40, items: 40 }])
  expect(notesOf(judging, filteredRun(judging, 50, 40, 28))).toEqual([])
  expect(notesOf(asked, filteredRun(asked, 50, 40, 39))).toEqual([])
  const [having] = explainPlan(judging, filteredRun(judging, 50, 40, 29)).tree.inputs
  expect(having).toMatchObject({
    ...{ kind: 'having', text: 'HAVING, by a function of this process' },
    actual: { itemsRead: 40, itemsReturned: 11, itemsDiscarded: 29, rcu: 0.5 },
    inputs: [{ kind: 'source' }],
  })
  const [unrun] = explainPlan(judging).tree.inputs
  expect(unrun).toMatchObject({ kind: 'having', actual: null })
  expect(unrun?.estimated.items).toBe((unrun?.inputs[0]?.estimated.items ?? 0) / 2)
})

test('what is passed over stands in the text, and the way without it among those that were rejected', () => {
  const plan = planOf({ scope: '42', where: { language: 'en' } })
  const instead = { text: 'PAGE INDEX', rcu: 9, rounds: 3, reason: 'costs more' }
  const explained = explainPlan(plan, undefined, { skip: { items: 40, instead } })
  expect(explained.text).toBe(plan.text.replace(' -- ', ' LESS THE FIRST 40 -- '))
  expect(explained.rejected).toEqual([...plan.rejected, instead])
  expect(explainPlan(plan)).toMatchObject({ text: plan.text, rejected: plan.rejected, pageIndex: null })
  expect(explainPlan(plan).roundPrice).toBe(plan.roundPrice)
})

/** Costs whose sums are exact. */
const costs = fc.record({
  rcu: fc.nat(40).map((halves) => halves / 2),
  requests: fc.nat(5),
  rounds: fc.nat(5),
})
const besides = fc.array(
  fc.record({
    kind: fc.constantFrom<Beside['kind'][]>('counts', 'pageIndex', 'slice'),
    text: fc.constantFrom('COUNTS', 'PAGE INDEX OFFSET 40'),
    when: fc.constantFrom('before' as const, 'along' as const, 'after' as const),
    estimated: costs,
    actual: fc.option(costs, { nil: undefined }),
  }),
  { maxLength: 4 },
)

test('a page costs what its lists and everything beside them cost, in its line, its figures and at the root of its tree', () => {
  fc.assert(
    fc.property(plans, fc.nat(20), besides, (plan, returned, read) => {
      const run = runOf(plan, returned)
      const { text, estimated, actual, tree, lists } = explainPlan(plan, run, { besides: read })
      const sum = (of: 'estimated' | 'actual', field: 'rcu' | 'requests'): number =>
        read.reduce((all, beside) => all + (beside[of]?.[field] ?? 0), 0)
      expect(lists).toBe(plan.estimated)
      for (const field of ['rcu', 'requests'] as const) {
        expect(estimated[field]).toBeCloseTo(plan.estimated[field] + sum('estimated', field), 9)
        expect(actual?.[field]).toBe(run.actual[field] + sum('actual', field))
      }
      const roundsOf = (of: 'estimated' | 'actual', isAlong: boolean) =>
        read.filter(({ when }) => (when === 'along') === isAlong).map((beside) => beside[of]?.rounds ?? 0)
      for (const of of ['estimated', 'actual'] as const) {
        const apart = roundsOf(of, false).reduce((all, rounds) => all + rounds, 0)
        const own = of === 'actual' ? run.actual.rounds : plan.estimated.rounds
        const whole = of === 'actual' ? actual : estimated
        expect(whole?.rounds).toBe(apart + Math.max(own, ...roundsOf(of, true)))
      }
      const [, end] = /.* -- ([\d.]+ RCU, \d+ rounds?)$/.exec(text) ?? []
      const rounds = Math.round(estimated.rounds)
      expect(end).toBe(`${Math.round(estimated.rcu * 2) / 2} RCU, ${rounds} ${rounds === 1 ? 'round' : 'rounds'}`)
      expect(tree.estimated.rcu).toBeCloseTo(explainPlan(plan).tree.estimated.rcu + sum('estimated', 'rcu'), 9)
      expect(tree.actual?.rcu).toBe((explainPlan(plan, run).tree.actual?.rcu ?? 0) + sum('actual', 'rcu'))
      expect(tree.inputs.slice(explainPlan(plan).tree.inputs.length).map(({ kind }) => kind)).toEqual(
        read.map(({ kind }) => kind),
      )
    }),
  )
})

test('the line names what the lists wait for, and has the price of everything', () => {
  const plan = planOf({ scope: '42', where: { language: 'en' } })
  const [lists] = plan.text.split(' -- ')
  const half = { rcu: 0.5, requests: 1, rounds: 1 }
  const none = { rcu: 0, requests: 0, rounds: 0 }
  const index: Beside = {
    kind: 'pageIndex',
    text: 'PAGE INDEX OFFSET 40',
    when: 'before',
    estimated: { ...half, rounds: 2 },
  }
  const counts: Beside = { kind: 'counts', text: 'COUNTS', when: 'along', estimated: half }
  const { text, tree } = explainPlan(plan, undefined, { besides: [index, counts] })
  expect(text).toMatch(/ -- [\d.]+ RCU, 3 rounds$/)
  expect(text.split(' -- ')[0]).toBe(`PAGE INDEX OFFSET 40, THEN ${lists}`)
  expect([tree.kind, ...tree.inputs.map(({ kind }) => kind)]).toEqual(['limit', 'source', 'pageIndex', 'counts'])
  expect(explainPlan(plan, undefined, { besides: [{ ...counts, estimated: none }] }).text).toBe(plan.text)
})

test('a source says the Query that it began with', () => {
  const plan = planOf({ scope: '42', where: { language: 'en' } })
  const [source] = explainPlan(plan, runOf(plan, 1)).tree.inputs
  const request = { index: 'byLanguage', keyCondition: 'PK = "a \\"b\\""', limit: 7, consistency: 'eventual' }
  expect(source?.request).toEqual(request)
  expect(explainPlan(plan).tree.inputs[0]?.request).toBeUndefined()
})
