import fc from 'fast-check'
import { awkwardText, chosenSeed } from 'lapidary-testing'
import { describe, expect, it } from 'vitest'
import { type Amounts, sumOf } from '../../src/derived/amount.ts'
import { collectionProjections } from '../../src/derived/collection-projections.ts'
import { fold, heldText } from '../../src/derived/derived-item.ts'
import type { Contribution, SumProjection } from '../../src/derived/sum-projection.ts'
import { indexes } from '../../src/layouts/indexes/indexes.ts'
import { type Collection, defineCollection } from '../../src/model/collection.ts'
import { createEntryCodec } from '../../src/model/entry.ts'
import { primaryKey } from '../../src/model/stored-item.ts'
import { AWKWARD_DECIMALS } from '../decimal-units.ts'
import { duplicates } from './duplicates-projection.ts'
import { COLOURS, type Note, notes } from './notes.ts'
import { ranges } from './ranges-projection.ts'

const seed = chosenSeed(process.env.FC_SEED)
console.info(`FC_SEED=${seed}`)
const codec = createEntryCodec({ ...(notes as Collection), numbers: { price: 'decimal' } })
/** The same notes with everything that is summed, and counted beside. */
const priced = defineCollection({
  ...{ name: 'NOTE', schema: notes.schema, id: 'id', order: { attribute: 'place', type: 'number' } },
  ...{ scope: notes.scope, facets: notes.facets, numbers: { price: 'decimal' }, sums: ['price', 'place'] },
  statistics: { across: 2, days: { of: 'at', zone: 'Europe/Berlin' } },
  leaderboards: { dearest: { sum: 'price' }, best: { average: 'price', atLeast: 2 } },
} as never) as unknown as Collection
const projections = [
  ...collectionProjections(notes, indexes().of(notes)),
  ...collectionProjections(priced, indexes().of(priced)),
  ...[duplicates, ranges],
]

const note = fc.record<Note & { readonly price?: string; readonly at?: string }>({
  id: fc.constantFrom('1', '2'),
  box: awkwardText().filter((text) => text !== ''),
  kind: fc.oneof(awkwardText(), fc.constant('')),
  colour: fc.constantFrom(...COLOURS),
  place: fc.nat(99),
  text: fc.constantFrom('', 'a', '__proto__'),
  price: fc.constantFrom(undefined as never, ...AWKWARD_DECIMALS),
  at: fc.constantFrom(undefined as never, '2024-01-01T22:59:59.999Z', '2024-01-01T23:00:00.000Z'),
})

/** The contributions of notes to the first item that one of them adds to. */
function contributionsOf(projection: SumProjection, drawn: readonly Note[]): readonly Contribution[] {
  const all = drawn.flatMap((item) => {
    const { PK, SK } = primaryKey(notes, item.id)
    return projection.contributions({ ...codec.toEntry({ ...item }), PK: { S: PK }, SK: { S: SK } })
  })
  return all.filter(({ target }) => target.PK === all[0]?.target.PK && target.SK === all[0].target.SK)
}

describe.each(projections.map((projection) => [projection.name, projection] as const))('%s', (_, projection) => {
  const signs = fc.array(fc.constantFrom(1 as const, -1 as const), { minLength: 12, maxLength: 12 })
  const drawn = fc.array(note, { minLength: 1, maxLength: 12 })

  it('give back the amounts that an item was made of, also such as no notes add up to', () => {
    fc.assert(
      fc.property(drawn, signs, (items, signs) => {
        const contributions = contributionsOf(projection, items)
        const [first] = contributions
        if (first === undefined) return
        const sum = contributions.reduce<Amounts>((sum, { amounts }, i) => sumOf(sum, amounts, signs[i]), {})
        const entry = projection.entryOf(first.target, sum)
        expect(sumOf({}, entry === undefined ? {} : projection.amountsOf(entry))).toEqual(sum)
        expect(projection.owns(first.target)).toBe(true)
        if (projection.partitionOf !== undefined) {
          const partitions = items.map(({ box }) => projection.partitionOf?.(box))
          expect(partitions).toContain(first.target.PK)
        }
      }),
      { seed, numRuns: 300 },
    )
  })

  it('are the same in whatever order and portions amounts are added', () => {
    fc.assert(
      fc.property(drawn, signs, fc.nat(12), (items, signs, cut) => {
        const contributions = contributionsOf(projection, items).map(({ target, amounts }, i) => ({
          target,
          amounts: sumOf({}, amounts, signs[i]),
        }))
        const [first] = contributions
        if (first === undefined) return
        const whole = contributions.reduce<Amounts>((sum, { amounts }) => sumOf(sum, amounts), {})
        const turned = [...contributions.slice(cut), ...contributions.slice(0, cut)].reverse()
        const stepwise = turned.reduce<ReturnType<typeof fold>>(
          (before, { amounts }) => fold(projection, first.target, before, amounts, 1),
          undefined,
        )
        expect(heldText(stepwise)).toBe(heldText(fold(projection, first.target, undefined, whole, 2)))
      }),
      { seed, numRuns: 300 },
    )
  })
})

describe('a place on a leaderboard', () => {
  const board = projections.find(({ name }) => name === 'leaderboards') as SumProjection
  const target = { PK: '~leaders#NOTE#a', SK: 'full' }

  it('is on no list with a count below 1, and is kept', () => {
    const entry = fold(board, target, undefined, { count: -2 }, 0)
    expect(entry).toEqual({ count: { N: '-2' } })
    expect(fold(board, target, entry, { count: 2 }, 0)).toBeUndefined()
    expect(Object.keys(fold(board, target, entry, { count: 3 }, 0) ?? {}).sort()).toEqual(['count', 'k', 's'])
  })
})

describe('the time of a derived item', () => {
  const counts = projections.find(({ name }) => name === 'counts') as SumProjection
  const target = { PK: '~counts#NOTE#a', SK: '~' }

  it('is that of the last change, whatever comes later, and no part of what is compared', () => {
    const later = fold(counts, target, undefined, { count_total: 1 }, 2_000)
    const both = fold(counts, target, later, { count_total: 1 }, 1_000)
    expect(both?.asOf?.S).toBe(new Date(2_000).toISOString())
    expect(fold(counts, target, undefined, { count_total: 1 }, 0)).toEqual({ count_total: { N: '1' } })
    expect(heldText(both)).toBe(heldText(fold(counts, target, undefined, { count_total: 2 }, 0)))
  })
})
