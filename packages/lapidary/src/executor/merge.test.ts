import { expect, test } from 'vitest'
import type { Position } from '../model/position.ts'
import type { SourceNode } from '../planner/plan.ts'
import { isBefore, mergeCertain } from './merge.ts'
import type { Head, SourceReader } from './source-reader.ts'

interface State {
  readonly buffer: readonly string[]
  readonly exhausted?: boolean
  readonly frontier?: string
}

const at = (order: string): Position => ({ order, id: '1' })

/** A reader with a buffer that is given, in place of one that queries. */
function reader({ buffer, exhausted = false, frontier }: State): SourceReader {
  let next = 0
  const stub = {
    get head(): Head | undefined {
      const order = buffer[next]
      return order === undefined ? undefined : { position: at(order), entry: {}, source: {} as SourceNode }
    },
    get blocking() {
      return !exhausted && next === buffer.length
    },
    frontier: frontier === undefined ? undefined : at(frontier),
    take: () => void next++,
    drop: () => void next++,
  }
  return stub as unknown as SourceReader
}

function merged(states: readonly State[], limit = 10, ascending = true): unknown[] {
  const emitted: Head[] = []
  mergeCertain(states.map(reader), emitted, limit, ascending)
  return emitted.map(({ position }) => position.order)
}

test('emits in position order while every source shows its next item', () => {
  expect(
    merged([
      { buffer: ['a', 'd'], exhausted: true },
      { buffer: ['b', 'c'], exhausted: true },
    ]),
  ).toEqual(['a', 'b', 'c', 'd'])
})

test('emits from the highest down when it reads downwards', () => {
  expect(
    merged(
      [
        { buffer: ['d', 'a'], exhausted: true },
        { buffer: ['c', 'b'], exhausted: true },
      ],
      10,
      false,
    ),
  ).toEqual(['d', 'c', 'b', 'a'])
})

test('stops where a source that ran dry may hold the next item', () => {
  expect(merged([{ buffer: ['a', 'e'] }, { buffer: ['b'] }])).toEqual(['a', 'b'])
})

test('goes on past a dry source as far as that one has read', () => {
  expect(merged([{ buffer: ['a', 'c', 'e'] }, { buffer: [], frontier: 'd' }])).toEqual(['a', 'c'])
})

test('a source that has read nothing holds back everything', () => {
  expect(merged([{ buffer: ['a'] }, { buffer: [] }])).toEqual([])
})

test('an exhausted source holds back nothing', () => {
  expect(
    merged([
      { buffer: ['a', 'b'], exhausted: true },
      { buffer: [], exhausted: true },
    ]),
  ).toEqual(['a', 'b'])
})

test('stops at the limit', () => {
  expect(merged([{ buffer: ['a', 'b', 'c'], exhausted: true }], 2)).toEqual(['a', 'b'])
})

test('an item found in the list it left and in the one it went to is emitted once', () => {
  const both = [
    { buffer: ['a', 'b'], exhausted: true },
    { buffer: ['b', 'c'], exhausted: true },
  ]
  expect(merged(both)).toEqual(['a', 'b', 'c'])
})

test('a second find is dropped wherever on the page it is', () => {
  for (const found of ['a', 'b', 'c', 'd']) {
    const readers = [['a', 'b', 'c', 'd'], [found]].map((buffer) => ({ buffer, exhausted: true }))
    expect(merged(readers)).toEqual(['a', 'b', 'c', 'd'])
    expect(merged(readers.toReversed(), 10, true)).toEqual(['a', 'b', 'c', 'd'])
  }
})

test('no position is before itself, in either direction', () => {
  expect([isBefore(at('a'), at('a'), true), isBefore(at('a'), at('a'), false)]).toEqual([false, false])
  expect([isBefore(at('a'), at('b'), true), isBefore(at('a'), at('b'), false)]).toEqual([true, false])
})

test('the second find does not pass for an item after the page', () => {
  const readers = [
    { buffer: ['a', 'b'], exhausted: true },
    { buffer: ['b'], exhausted: true },
  ].map(reader)
  mergeCertain(readers, [], 2, true)
  expect(readers.map(({ head }) => head)).toEqual([undefined, undefined])
})

test('positions compare by bytes: astral characters after the rest', () => {
  expect(
    merged([
      { buffer: ['#\u{1F600}'], exhausted: true },
      { buffer: ['#\uFFFD'], exhausted: true },
    ]),
  ).toEqual(['#\uFFFD', '#\u{1F600}'])
})
