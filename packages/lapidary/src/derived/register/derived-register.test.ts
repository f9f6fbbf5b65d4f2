import { UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { expect, test } from 'vitest'
import { memoryItems } from '../../../test/memory-items/memory-items.ts'
import {
  changeDerivedRegister,
  noteCounted,
  noteLoss,
  noteUsed,
  REGISTER_KEY,
  readDerivedRegister,
  withState,
} from './derived-register.ts'
import { shapeId, shapeOf } from './shape.ts'

const [counts, pages, mine] = ['counts', 'pages', 'mine'].map((name) =>
  shapeOf({ collection: 'THING', name }, name === 'mine' ? undefined : { by: ['é'], of: [1, null, true] }),
) as [ReturnType<typeof shapeOf>, ReturnType<typeof shapeOf>, ReturnType<typeof shapeOf>]

test('of a table without a register nothing is known', async () => {
  const items = memoryItems()
  expect(await readDerivedRegister(items)).toEqual({
    ...{ revision: 0, isCounted: false, gaps: new Set(), shapes: new Map(), usedUntil: new Map() },
  })
  expect(items.entries).toEqual([])
})

test('shapes come back as they were registered, each from the revision on that every process keeps it', async () => {
  const items = memoryItems()
  await changeDerivedRegister(items, (found) => withState(found, [counts, mine], 'filling'))
  const told = await changeDerivedRegister(items, (found) =>
    withState(withState(found, [counts], 'ready'), [pages], 'filling'),
  )
  expect(await readDerivedRegister(items)).toEqual(told)
  expect(told.revision).toBe(2)
  expect([...told.shapes.values()]).toEqual([
    { ...counts, state: 'ready', since: 1 },
    { ...mine, state: 'filling', since: 1 },
    { ...pages, state: 'filling', since: 2 },
  ])
})

test('what was abandoned is kept again from the revision of its filling on, and what is abandoned or ready stays', async () => {
  const items = memoryItems()
  for (const state of ['filling', 'abandoned', 'filling', 'ready'] as const) {
    await changeDerivedRegister(items, (found) => withState(found, [counts], state))
  }
  const { revision, shapes } = await readDerivedRegister(items)
  expect([revision, shapes.get(shapeId(counts))]).toEqual([4, { ...counts, state: 'ready', since: 3 }])
})

test('a change that changes nothing is no write', async () => {
  const items = memoryItems()
  await changeDerivedRegister(items, (found) => withState(found, [counts], 'ready'))
  items.sent.length = 0
  expect((await changeDerivedRegister(items, (found) => found)).revision).toBe(1)
  expect((await changeDerivedRegister(items, (found) => withState(found, [], 'filling'))).revision).toBe(1)
  expect(new Set(items.sent.map(({ name }) => name))).toEqual(new Set(['Query']))
})

test('changes of processes at the same time are all made, one after the other', async () => {
  const items = memoryItems()
  const shapes = Array.from({ length: 8 }, (_, i) => shapeOf({ collection: 'THING', name: `own-${i}` }, i))
  await Promise.all(
    shapes.map((shape) => changeDerivedRegister(items, (found) => withState(found, [shape], 'filling'))),
  )
  const { revision, shapes: held } = await readDerivedRegister(items)
  expect([revision, held.size]).toEqual([8, 8])
  expect([...held.values()].map(({ since }) => since).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
})

test('who is never first gives up with an error that says so, and any other error is passed on', async () => {
  const reason = (name: string) =>
    memoryItems({
      before(command) {
        if (command instanceof UpdateItemCommand) throw Object.assign(new Error(name), { name })
      },
    })
  const change = (name: string) => changeDerivedRegister(reason(name), (found) => withState(found, [counts], 'filling'))
  await expect(change('ConditionalCheckFailedException')).rejects.toMatchObject({ code: 'unavailable' })
  await expect(change('AccessDeniedException')).rejects.toThrow('AccessDeniedException')
})

test('that a shape is read, a shard has lost something or the stream was counted makes no other revision', async () => {
  const items = memoryItems()
  // Noted before there is a register, too.
  await noteLoss(items, 'shard-1', 'lost')
  expect(await readDerivedRegister(items)).toMatchObject({ revision: 0, gaps: new Set(['shard-1']) })
  await changeDerivedRegister(items, (found) => withState(found, [counts], 'ready'))
  await noteUsed(items, [shapeId(counts), shapeId(mine)], 7_000)
  await noteUsed(items, [shapeId(counts)], 9_000)
  await noteLoss(items, 'shard-2', 'lost')
  await noteLoss(items, 'shard-1', 'made up for')
  await noteLoss(items, 'shard-3', 'made up for')
  await noteCounted(items)
  const register = await readDerivedRegister(items)
  expect(register).toMatchObject({ revision: 1, isCounted: true, gaps: new Set(['shard-2']) })
  expect(register.usedUntil).toEqual(
    new Map([
      [shapeId(counts), 9_000],
      [shapeId(mine), 7_000],
    ]),
  )
  expect(register.shapes.size).toBe(1)
  // A change of shapes leaves them as they are.
  const { usedUntil, gaps, isCounted } = await changeDerivedRegister(items, (found) =>
    withState(found, [pages], 'filling'),
  )
  expect({ usedUntil, gaps, isCounted }).toEqual({
    usedUntil: register.usedUntil,
    gaps: register.gaps,
    isCounted: true,
  })
  expect(await readDerivedRegister(items)).toMatchObject({ revision: 2, isCounted: true })
})

test('what another program has put into the item is read as far as it can be', async () => {
  const items = memoryItems()
  items.put({
    ...{ PK: { S: REGISTER_KEY.PK }, SK: { S: REGISTER_KEY.SK }, revision: { N: '3' } },
    shapes: { M: { 'THING.counts.x': { M: { state: { S: 'unheard of' } } } } },
  })
  const { revision, shapes } = await readDerivedRegister(items)
  expect(revision).toBe(3)
  // What is not known to be complete is filled.
  expect(shapes.get('THING.counts.x')).toMatchObject({ state: 'filling', since: 0, made: undefined })
})
