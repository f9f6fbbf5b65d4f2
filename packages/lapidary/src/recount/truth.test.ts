import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SumProjection } from '../derived/sum-projection.ts'
import { Tally } from './tally.ts'
import { type Step, Truth } from './truth.ts'

/** Items count their colour; `none` adds nothing, and `bad` can't be counted. */
const colours: SumProjection = {
  name: 'colours',
  collection: 'THING',
  dated: false,
  isItem: ({ PK }) => PK.startsWith('THING#'),
  contributions({ colour }) {
    if (colour?.S === 'bad') throw new TypeError('bad')
    if (colour?.S === 'none') return []
    return [{ target: { PK: '~colours', SK: '~' }, amounts: { [`count_${colour?.S}`]: 1, count_total: 1 } }]
  },
  owns: () => false,
  entryOf: () => undefined,
  amountsOf: () => ({}),
}

type Image = { readonly colour: AttributeValue } | undefined
const image = (colour: string | null): Image => (colour === null ? undefined : { colour: { S: colour } })
const keyOf = (id: number) => ({ PK: `THING#${id}`, SK: '~' })

function recount(images: ReadonlyMap<number, string | null>): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const colour of images.values()) {
    if (colour === null || colour === 'bad' || colour === 'none') continue
    for (const name of [`count_${colour}`, 'count_total']) counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

const colour = fc.constantFrom('red', 'blue', 'none', 'bad', null)
const write = fc.record({ id: fc.nat(5), colour })

describe('Truth', () => {
  it('is the recount at any place of the log, whenever the scan saw each item', () => {
    fc.assert(
      fc.property(
        fc.array(write, { maxLength: 10 }),
        fc.array(write, { maxLength: 30 }),
        fc.array(fc.nat(30), { minLength: 6, maxLength: 6 }),
        fc.nat(30),
        fc.infiniteStream(fc.boolean()),
        (early, late, seenAt, cutAt, scanFirst) => {
          const images = new Map<number, string | null>()
          for (const { id, colour } of early) images.set(id, colour)
          const history = [new Map(images)]
          const changes = late.map(({ id, colour }, i) => {
            const before = images.get(id) ?? null
            images.set(id, colour)
            history.push(new Map(images))
            return {
              key: keyOf(id),
              sequenceNumber: String(i).padStart(3, '0'),
              at: i,
              before: image(before),
              after: image(colour),
            }
          })
          const truth = new Truth(new Tally([colours]))
          const steps: Step[] = []
          const log = changes[Symbol.iterator]()
          const read = (): boolean => {
            const { value, done } = log.next()
            const step = done === true ? undefined : truth.logged(value)
            if (step !== undefined) steps.push(step)
            return done !== true
          }
          for (const [id, at] of seenAt.entries()) {
            const [first] = scanFirst.take(1)
            if (first === true) read()
            const seen = image(history[Math.min(at, late.length)]?.get(id) ?? null)
            if (seen !== undefined) truth.scanned(keyOf(id), seen)
          }
          while (read());
          const cut = Math.min(cutAt, late.length)
          for (const step of steps) if (Number(step.sequenceNumber) < cut) truth.take(step)
          const [target] = truth.tally.targets
          expect(target === undefined ? {} : truth.tally.amountsOf(target)).toEqual(recount(history[cut] ?? new Map()))
          const bad = [...(history[cut]?.values() ?? [])].filter((each) => each === 'bad').length
          expect(truth.tally.uncountable).toBe(bad)
        },
      ),
      { numRuns: 1_000 },
    )
  })
})

describe('a change that counts nowhere', () => {
  const logged = (before: string | null, after: string | null, id = 1) => {
    const truth = new Truth(new Tally([colours]))
    const change = { key: keyOf(id), sequenceNumber: '5', at: 7, before: image(before), after: image(after) }
    return { truth, step: truth.logged(change) }
  }

  it('is no step: of an item that adds the same as before, or nothing, or of what no projection follows', () => {
    expect(logged('red', 'red').step).toBeUndefined()
    expect(logged(null, null).step).toBeUndefined()
    for (const [before, after] of [
      ['none', 'none'],
      [null, 'none'],
      ['none', null],
    ] as const) {
      expect(logged(before, after).step, `${before} to ${after}`).toBeUndefined()
    }
    expect(logged('red', 'blue').step).toMatchObject({ sequenceNumber: '5', at: 7 })
    for (const [before, after] of [
      [null, 'bad'],
      ['bad', 'none'],
      ['none', 'red'],
      ['red', 'none'],
    ] as const) {
      expect(logged(before, after).step, `${before} to ${after}`).toMatchObject({ sequenceNumber: '5' })
    }
    const { truth } = logged('red', 'red')
    expect(truth.tally.targets.map((target) => truth.tally.amountsOf(target))).toEqual([
      { count_red: 1, count_total: 1 },
    ])
  })
})

describe('what the scan sees', () => {
  it('counts each look at an item that a projection follows, and the item once', () => {
    const truth = new Truth(new Tally([colours]))
    truth.scanned(keyOf(1), { colour: { S: 'red' } })
    truth.scanned(keyOf(1), { colour: { S: 'blue' } })
    truth.scanned({ PK: 'OTHER#1', SK: '~' }, { colour: { S: 'red' } })
    truth.scanned(keyOf(2), { colour: { S: 'none' } })
    expect(truth.items).toBe(3)
    expect(truth.tally.targets.map((target) => truth.tally.amountsOf(target))).toContainEqual({
      ...{ count_blue: 1, count_total: 1 },
    })
  })

  it('tells of twenty items that can not be counted', () => {
    const truth = new Truth(new Tally([colours]))
    for (let id = 0; id < 25; id++) truth.scanned(keyOf(id), { colour: { S: 'bad' } })
    expect([truth.uncountableItems.length, truth.tally.uncountable]).toEqual([20, 25])
    expect(truth.uncountableItems[19]).toEqual({ key: keyOf(19), reason: 'bad' })
  })
})
