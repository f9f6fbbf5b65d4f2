import fc from 'fast-check'
import { collectionCase, collectionOf, itemsOf } from 'lapidary-testing'
import { expect, test } from 'vitest'
import { indexes } from '../../layouts/indexes/indexes.ts'
import type { Collection, Item } from '../../model/collection.ts'
import { createEntryCodec, type Entry } from '../../model/entry.ts'
import { createEntryReader } from '../../model/entry-reader.ts'
import { positionOf } from '../../model/position.ts'
import { collectionProjections, sumsOfShape } from '../collection-projections.ts'
import { cellReader } from '../counts/counted-cell.ts'
import { declaredReader } from './declared-reader.ts'
import { declarationOf, plainDeclaration } from './plain-declaration.ts'
import { projectionShape } from './shape.ts'

/** A declaration, with a board by its first `anyOf` facet, and items of which some are spoilt. */
const cases = collectionCase().chain((made) =>
  fc.record({
    collection: fc.constant(withBoards(collectionOf(made) as unknown as Collection)),
    images: itemsOf(made, 8).chain((items) =>
      fc.tuple(...items.map((item) => spoilt(collectionOf(made) as unknown as Collection, item))),
    ),
  }),
)

function withBoards(collection: Collection): Collection {
  const [facet, { values = [] } = {}] = Object.entries(collection.facets).find(([, { kind }]) => kind === 'anyOf') ?? []
  const where = facet === undefined ? {} : { [facet]: values.slice(0, 2) }
  return { ...collection, leaderboards: [{ name: 'best', where, shards: 3 }] }
}

/** The image of an item, or one of which an attribute is missing, or holds what it can't. */
function spoilt(collection: Collection, item: Item): fc.Arbitrary<Entry> {
  const image = createEntryCodec(collection).toEntry(item)
  const values = [undefined, { S: 'unlike any' }, { N: '77' }, { BOOL: true }, { L: [] }, { NULL: true }] as const
  const change = fc.tuple(fc.constantFrom(...Object.keys(image)), fc.constantFrom(...values))
  return fc.option(change, { freq: 3, nil: undefined }).map((changed) => {
    if (changed === undefined) return image
    const { [changed[0]]: _, ...rest } = image
    return changed[1] === undefined ? rest : ({ ...rest, [changed[0]]: changed[1] } as Entry)
  })
}

/** What a function gives of an image, or that it refuses it; in which order it names declared values makes no difference. */
function outcome(of: () => unknown): unknown {
  try {
    return of()
  } catch {
    return 'refused'
  }
}

const throughJson = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

test('a projection that is made of a shape as the table has it adds what that of the declaration adds', () => {
  fc.assert(
    fc.property(cases, ({ collection, images }) => {
      for (const projection of collectionProjections(collection, indexes().of(collection))) {
        const shape = projectionShape(projection)
        const other = sumsOfShape({ ...shape, made: throughJson(shape.made) }, [collection])
        expect(projectionShape(other ?? expect.fail()).digest).toBe(shape.digest)
        for (const image of images) {
          expect(outcome(() => other?.contributions(image))).toEqual(outcome(() => projection.contributions(image)))
        }
      }
    }),
    { numRuns: 60 },
  )
})

test('an item is in the same cell, or in none for the same reason, and at the same place, by a plain declaration', () => {
  fc.assert(
    fc.property(cases, ({ collection, images }) => {
      const facets = Object.keys(collection.facets)
      const { id, idOrder, order } = collection
      const declaration = throughJson(plainDeclaration(collection, facets, { id, idOrder, order }))
      const plain = declarationOf(declaration)
      const [read, readPlain] = [collection, plain].map((each) => {
        const reader = createEntryReader(each)
        const cellOf = cellReader(
          each,
          each === plain ? declaredReader(declaration, plain, [collection]) : reader,
          facets,
        )
        return (image: Entry) => [
          outcome(() => cellOf(image).scope),
          ...facets.map((facet) => outcome(() => cellOf(image).values(facet))),
          outcome(() => positionOf(each, reader.toItem(image))),
        ]
      })
      for (const image of images) expect(readPlain?.(image)).toEqual(read?.(image))
    }),
    { numRuns: 60 },
  )
})

test('a function of one’s own can be told by no other process', () => {
  expect(sumsOfShape({ collection: 'THING', name: 'authors', digest: '', made: 2 }, [])).toBeUndefined()
  expect(sumsOfShape({ collection: 'THING', name: 'toString', digest: '', made: 2 }, [])).toBeUndefined()
})
