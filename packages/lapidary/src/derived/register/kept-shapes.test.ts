import { expect, test } from 'vitest'
import { memoryItems } from '../../../test/memory-items/memory-items.ts'
import { sumsOfShape } from '../collection-projections.ts'
import type { CopyProjection } from '../copy-projection.ts'
import { sumsOf } from '../projection.ts'
import type { SumProjection } from '../sum-projection.ts'
import { changeDerivedRegister, noteUsed, readDerivedRegister, type ShapeState, withState } from './derived-register.ts'
import { createDerivedStates, USED_MS } from './derived-states.ts'
import { createKeptShapes, type KeptShapes } from './kept-shapes.ts'
import { projectionShape, type Shape, shapeId, shapeOf } from './shape.ts'

const BEGAN = 1_800_000_000_000

/** A projection of one's own, a function that no other process has. */
const own = (name: string, made?: unknown): SumProjection => ({
  ...{ name, collection: 'THING', made, dated: false, isItem: () => true, contributions: () => [] },
  ...{ owns: () => false, entryOf: () => undefined, amountsOf: () => ({}) },
})
/** A copy that no rebuild makes, so that no register knows it. */
const copyNamed = (name: string): CopyProjection => ({
  ...{ name, collection: 'THING', isItem: () => true, apply: async () => {} },
})
const pages = shapeOf({ collection: 'THING', name: 'pages' }, { store: 'dynamodb' })
/** Counts of another declaration, as the table has them. */
const foreign = shapeOf(
  { collection: 'THING', name: 'counts' },
  {
    ...{ by: ['language'], counted: [], bytes: {} },
    declaration: { collection: 'THING', scope: 'parent', facets: [['language', { kind: 'oneOf' }]], stored: {} },
  },
)

/** Processes of several declarations on one table in memory. */
function processes() {
  const items = memoryItems()
  let now = BEGAN
  const clock = (): number => now
  return {
    items,
    pass(ms: number) {
      now += ms
    },
    open(sums: readonly SumProjection[], canOpenPages = false): KeptShapes {
      const shaped = sums.map(projectionShape)
      return createKeptShapes({
        ...{ table: items, projections: [...sums, copyNamed('cache')], clock },
        states: createDerivedStates(items, () => shaped, clock),
        projectionOf: async (shape) =>
          sumsOfShape(shape, []) ?? (canOpenPages && shape.name === 'pages' ? copyNamed('pages') : undefined),
      })
    },
    be: (shapes: readonly Shape[], state: ShapeState) =>
      changeDerivedRegister(items, (found) => withState(found, shapes, state)),
    async states() {
      const { shapes } = await readDerivedRegister(items)
      return Object.fromEntries([...shapes.values()].map(({ name, state }) => [name, state]))
    },
  }
}
const namesOf = (projections: readonly { readonly name: string }[]): string[] => projections.map(({ name }) => name)

test('a process registers what it declares to be filled, once, and keeps it with the copies that no register knows', async () => {
  const { open, states } = processes()
  const first = open([own('authors'), own('readers')])
  const kept = await first.current()
  expect([kept.revision, namesOf(kept.projections)]).toEqual([1, ['authors', 'readers', 'cache']])
  expect(await states()).toEqual({ authors: 'filling', readers: 'filling' })
  expect((await first.refresh()).revision).toBe(1)
  expect((await open([own('readers'), own('authors')]).current()).revision).toBe(1)
})

test('a process keeps by their data what another one declares, counts and pages', async () => {
  const { open, be, states } = processes()
  await be([foreign, pages], 'ready')
  const kept = await open([own('authors')], true).current()
  expect(namesOf(kept.projections).sort()).toEqual(['authors', 'cache', 'counts', 'pages'])
  expect(await states()).toEqual({ counts: 'ready', pages: 'ready', authors: 'filling' })
  const counts = sumsOf(kept.projections).find(({ name }) => name === 'counts')
  expect(projectionShape(counts ?? expect.fail()).digest).toBe(foreign.digest)
  // Who declares it is told of what it can't read; who keeps it for another leaves that out.
  expect(counts?.contributions({ parent: { S: '42' }, language: { L: [] } })).toEqual([])
  expect(counts?.contributions({ parent: { S: '42' }, language: { S: 'en' } })).toHaveLength(2)
})

test('what another release writes in another format it leaves alone, whatever it is made by', async () => {
  const { open, be, states } = processes()
  const later = [foreign, pages].map((shape) => shapeOf(shape, shape.made, 9))
  await be(later, 'ready')
  const kept = await open([own('authors')], true).current()
  expect(namesOf(kept.projections)).toEqual(['authors', 'cache'])
  expect(await states()).toEqual({ counts: 'abandoned', pages: 'abandoned', authors: 'filling' })
})

test('a page index in the format of an older release is not read as one of this release, and is left behind', async () => {
  const { open, be, states } = processes()
  const older = shapeOf(pages, pages.made, 1)
  expect(older.digest).not.toBe(pages.digest)
  await be([older], 'ready')
  const kept = await open([own('authors')], true).current()
  expect(namesOf(kept.projections)).toEqual(['authors', 'cache'])
  expect(await states()).toEqual({ pages: 'abandoned', authors: 'filling' })
})

test('what a process can not keep it has left behind before it counts by any revision', async () => {
  const { open, be, items, states } = processes()
  await open([own('authors'), own('readers', 1)]).current()
  await be([pages], 'ready')
  const later = open([own('readers', 2)])
  const kept = await later.current()
  const { revision, shapes } = await readDerivedRegister(items)
  expect(kept.revision).toBe(revision)
  expect(namesOf(kept.projections)).toEqual(['readers', 'cache'])
  expect([...shapes.values()].map(({ name, made, state }) => [name, made, state])).toEqual([
    ['authors', undefined, 'abandoned'],
    ['readers', 1, 'abandoned'],
    ['pages', { store: 'dynamodb' }, 'abandoned'],
    ['readers', 2, 'filling'],
  ])
  expect(await states()).toMatchObject({ pages: 'abandoned' })
})

test('what is abandoned is kept by no process, and begun anew by one that declares it', async () => {
  const { open, items } = processes()
  const authors = own('authors')
  const first = open([authors])
  const since = await first.beginFilling([projectionShape(authors)])
  await open([own('others')]).current()
  expect(namesOf((await first.refresh()).projections)).toEqual(['cache'])
  await first.markReady([projectionShape(authors)], since)
  const id = shapeId(projectionShape(authors))
  expect((await readDerivedRegister(items)).shapes.get(id)?.state).toBe('abandoned')
  // The function of the other process is left behind in its turn.
  const anew = await first.beginFilling([projectionShape(authors)])
  expect(anew).toBeGreaterThan(since)
  // What was filled of the time before it was abandoned lacks what was counted meanwhile.
  await first.markReady([projectionShape(authors)], since)
  expect((await readDerivedRegister(items)).shapes.get(id)?.state).toBe('filling')
  await first.markReady([projectionShape(authors)], anew)
  expect((await readDerivedRegister(items)).shapes.get(id)).toMatchObject({ state: 'ready', since: anew })
})

test('a filling that is under way goes on from where it began, and what is ready stays so', async () => {
  const { open, be, items } = processes()
  const [authors, readers] = [own('authors'), own('readers')]
  const shapes = [authors, readers].map(projectionShape)
  const process = open([authors, readers])
  expect(await process.beginFilling(shapes)).toBe(1)
  expect(await process.beginFilling(shapes)).toBe(1)
  await be(shapes.slice(0, 1), 'ready')
  const { revision } = await readDerivedRegister(items)
  expect(await process.beginFilling(shapes)).toBe(1)
  expect((await readDerivedRegister(items)).revision).toBe(revision)
  expect(await process.beginFilling([])).toBe(0)
})

test('what no process has used for an hour is ended, and what a process declares itself never', async () => {
  const { open, be, items, pass } = processes()
  const mine = own('mine')
  const process = open([mine])
  await be([foreign, pages], 'ready')
  await process.current()
  await noteUsed(items, [foreign, projectionShape(mine)].map(shapeId), BEGAN + USED_MS)
  pass(USED_MS)
  expect([...(await readAfter(process, items)).shapes.values()].map(({ name }) => name)).toContain('counts')
  pass(1)
  const left = [...(await readAfter(process, items)).shapes.values()].map(({ name }) => name)
  expect(left).toContain('mine')
  expect(left).not.toContain('counts')
  // That of which no process has ever said that it is used may be new.
  expect(left).toContain('pages')
})

test('a process goes on by what it keeps until the register is another one', async () => {
  const { open, be, items, pass } = processes()
  const process = open([own('mine')])
  const kept = await process.current()
  items.sent.length = 0
  expect(await process.current()).toBe(kept)
  expect(items.sent).toEqual([])
  await be([foreign], 'filling')
  expect(await process.current()).toBe(kept)
  pass(5_000)
  const next = await process.current()
  expect([next.revision, namesOf(next.projections)]).toEqual([2, ['mine', 'counts', 'cache']])
})

test('what is registered in a state is told, own and of others, and nothing is changed by that', async () => {
  const { open, be, items } = processes()
  const mine = own('mine')
  await be([foreign], 'ready')
  await be([projectionShape(mine), pages], 'filling')
  const process = open([mine])
  expect(namesOf(await process.registered(['ready']))).toEqual(['counts'])
  expect(namesOf(await process.registered(['ready', 'filling'])).sort()).toEqual(['counts', 'mine'])
  expect((await readDerivedRegister(items)).revision).toBe(2)
})

test('that the stream was counted to its end is noted once', async () => {
  const { open, items } = processes()
  const process = open([own('mine')])
  await process.caughtUp()
  await process.caughtUp()
  expect((await readDerivedRegister(items)).isCounted).toBe(true)
  expect(items.sent.filter(({ name }) => name === 'PutItem')).toHaveLength(1)
})

async function readAfter(process: KeptShapes, items: ReturnType<typeof memoryItems>) {
  await process.refresh()
  return readDerivedRegister(items)
}
