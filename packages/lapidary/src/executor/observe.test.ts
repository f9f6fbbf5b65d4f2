import { describe, expect, test } from 'vitest'
import type { Position } from '../model/position.ts'
import { observations } from './observe.ts'
import type { SourceReader } from './source-reader.ts'

const at = (order: number): Position => ({ order, id: '1' })

interface State {
  readonly waiting: readonly number[]
  /** How far it was read; undefined where nothing was evaluated. */
  readonly frontier?: number
  readonly exhausted?: boolean
}

/** A reader after a page, in place of one that queries. */
function reader({ waiting, frontier, exhausted = false }: State): SourceReader {
  const stub = {
    waiting: waiting.map((order) => ({ position: at(order), entry: {} })),
    frontier: frontier === undefined ? undefined : at(frontier),
    exhausted,
    actual: { rcu: 0.5, requests: 1, itemsRead: 9, itemsReturned: 4, bytes: 700 },
    passed: { entries: 7, squares: 70_000 },
    used: 4,
  }
  return stub as unknown as SourceReader
}

const ahead = (states: readonly State[], ascending = true): readonly number[] =>
  observations(states.map(reader), ascending).map((observed) => observed.ahead)

test('tells what was evaluated, what the filter let through and weighs, and what the page got', () => {
  expect(observations([reader({ waiting: [], exhausted: true })], true)).toEqual([
    { entries: 7, bytes: 700, squares: 70_000, read: 9, given: 4, ahead: 0 },
  ])
})

describe('what waits is certain to be next', () => {
  test('up to where every list is known, the last item read included', () => {
    const states = [
      { waiting: [5, 6, 9], frontier: 9 },
      { waiting: [5, 7, 8], frontier: 8 },
      { waiting: [6], frontier: 6 },
    ]
    expect(ahead(states)).toEqual([2, 1, 1])
    expect(ahead(states.toReversed())).toEqual([1, 1, 2])
  })

  test('downwards just so', () => {
    const states = [
      { waiting: [9, 6, 5], frontier: 5 },
      { waiting: [8, 7], frontier: 6 },
    ]
    expect(ahead(states, false)).toEqual([2, 2])
  })

  test('past the end of a list that has no more', () => {
    expect(
      ahead([
        { waiting: [5, 9], frontier: 9 },
        { waiting: [6], frontier: 6, exhausted: true },
      ]),
    ).toEqual([2, 1])
  })

  test('all of it where no list has more', () => {
    expect(
      ahead([
        { waiting: [5, 9], exhausted: true },
        { waiting: [], exhausted: true },
      ]),
    ).toEqual([2, 0])
  })

  test('not at all beside a list of which nothing is known', () => {
    expect(ahead([{ waiting: [] }, { waiting: [5], frontier: 5 }])).toEqual([0, 0])
    expect(ahead([{ waiting: [5], frontier: 5 }, { waiting: [] }])).toEqual([0, 0])
    expect(ahead([{ waiting: [5], exhausted: true }, { waiting: [] }])).toEqual([0, 0])
  })
})
