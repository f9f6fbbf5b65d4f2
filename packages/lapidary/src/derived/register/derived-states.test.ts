import { expect, test } from 'vitest'
import { type MemoryItems, memoryItems } from '../../../test/memory-items/memory-items.ts'
import {
  changeDerivedRegister,
  noteCounted,
  noteLoss,
  readDerivedRegister,
  type ShapeState,
  withState,
} from './derived-register.ts'
import { createDerivedStates, USED_MS } from './derived-states.ts'
import { shapeId, shapeOf } from './shape.ts'

const counts = shapeOf({ collection: 'THING', name: 'counts' }, { by: [] })
const BEGAN = 1_800_000_000_000

/** States on a table in memory, by a clock that stands until it is moved. */
function knowing(own = [counts], before: (command: object) => unknown = () => undefined) {
  const items: MemoryItems = memoryItems({ before })
  let now = BEGAN
  const states = createDerivedStates(
    items,
    () => own,
    () => now,
  )
  return {
    ...{ items, states },
    be: (state: ShapeState) => changeDerivedRegister(items, (found) => withState(found, [counts], state)),
    pass(ms: number) {
      now += ms
    },
    reads: () => items.sent.filter(({ name }) => name === 'Query').length,
  }
}

test('nothing is known from a shape that is absent, being filled, abandoned, lossy or never counted', async () => {
  const { items, states, be, pass } = knowing()
  const next = async (): Promise<string | undefined> => {
    pass(1_000)
    return states.unknown(counts)
  }
  expect(await next()).toBe('absent')
  await be('filling')
  expect(await next()).toBe('filling')
  await be('abandoned')
  expect(await next()).toBe('abandoned')
  await be('ready')
  expect(await next()).toBe('uncounted')
  await noteCounted(items)
  expect(await next()).toBeUndefined()
  await noteLoss(items, 'shard-1', 'lost')
  pass(5_000)
  expect(await next()).toBe('gap')
  await noteLoss(items, 'shard-1', 'made up for')
  expect(await next()).toBeUndefined()
  expect(await states.unknown(shapeOf(counts, { by: ['language'] }))).toBe('absent')
})

test('what is known is read again after five seconds, and what is not known after one', async () => {
  const { items, states, be, pass, reads } = knowing()
  await be('ready')
  await noteCounted(items)
  const asked = async (ms: number): Promise<number> => {
    pass(ms)
    const before = reads()
    await Promise.all([states.unknown(counts), states.unknown(counts)])
    return reads() - before
  }
  expect([await asked(0), await asked(4_999), await asked(1), await asked(0)]).toEqual([1, 0, 1, 0])
  await be('abandoned')
  expect([await asked(5_000), await asked(999), await asked(1)]).toEqual([1, 0, 1])
  // By a clock that was put back it is no younger.
  expect([await asked(-60_000), await asked(0)]).toEqual([1, 0])
})

test('a process goes by what it has written itself at once, and not by an earlier reading', async () => {
  const { states, be, items } = knowing()
  await states.unknown(counts)
  const written = await be('filling')
  states.learned(written)
  expect(await states.unknown(counts)).toBe('filling')
  states.learned({ ...written, revision: 0, shapes: new Map() })
  expect(await states.unknown(counts)).toBe('filling')
  expect((await states.register()).revision).toBe(1)
  await noteCounted(items)
  expect((await states.register(0)).isCounted).toBe(true)
})

test('who may not read the register goes on as if all was known, and asks no more', async () => {
  let asked = 0
  const { states } = knowing([counts], () => {
    asked += 1
    throw Object.assign(new Error('not allowed'), { name: 'AccessDeniedException' })
  })
  expect([await states.unknown(counts), await states.unknown(counts), asked]).toEqual([undefined, undefined, 1])
  await expect(states.register()).rejects.toThrow('not allowed')
})

test('another error is passed on, and the register is read again the next time', async () => {
  let isAway = true
  const { states, be } = knowing([counts], () => {
    if (isAway) throw Object.assign(new Error('away'), { name: 'InternalServerError' })
  })
  await expect(states.unknown(counts)).rejects.toThrow('away')
  isAway = false
  await be('filling')
  expect(await states.unknown(counts)).toBe('filling')
})

test('shapes that a process declares are noted as used for an hour, again once half of it is over', async () => {
  const { items, states, be, pass } = knowing([counts, counts, shapeOf(counts, 'not registered')])
  const until = async (): Promise<ReadonlyMap<string, number>> => {
    await states.register(1_000)
    await new Promise((resolve) => setImmediate(resolve))
    return (await readDerivedRegister(items)).usedUntil
  }
  await be('ready')
  expect(await until()).toEqual(new Map([[shapeId(counts), BEGAN + USED_MS]]))
  pass(USED_MS / 2)
  expect(await until()).toEqual(new Map([[shapeId(counts), BEGAN + USED_MS]]))
  pass(1_000)
  expect(await until()).toEqual(new Map([[shapeId(counts), BEGAN + 1.5 * USED_MS + 1_000]]))
})

test('who may read and not write is told what is known all the same', async () => {
  const { states, be, items } = knowing([counts], (command) => {
    if (JSON.stringify((command as { readonly input: unknown }).input).includes('until'))
      throw Object.assign(new Error('not allowed'), { name: 'AccessDeniedException' })
  })
  await be('ready')
  await noteCounted(items)
  expect(await states.unknown(counts)).toBeUndefined()
  await new Promise((resolve) => setImmediate(resolve))
  expect((await readDerivedRegister(items)).usedUntil).toEqual(new Map())
})
