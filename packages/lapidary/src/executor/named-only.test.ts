import { anyOf, defineCollection } from 'lapidary'
import { expect, test } from 'vitest'
import { schemaOf } from '../../test/comments-fixture.ts'
import type { List } from '../layouts/layout.ts'
import type { Collection } from '../model/collection.ts'
import { createEntryReader } from '../model/entry-reader.ts'
import { namedOnly } from './named-only.ts'

test.each(['kind', 'valueOf', 'constructor'])('an entry without the facet %s passes for null alone', (facet) => {
  const declared = {
    ...{ name: 'THING', schema: schemaOf<{ id: string; parent: string; at: string }>(), id: 'id', order: 'at' },
    ...{ scope: { name: 'PARENT', attribute: 'parent' }, facets: { [facet]: anyOf(['a', 'b'], { optional: true }) } },
  }
  const collection = defineCollection(declared as never) as unknown as Collection
  const passes = (wanted: readonly (string | null)[]) =>
    namedOnly({ [facet]: wanted }, { holds: {} } as List, createEntryReader(collection))
  expect(passes(['a', 'b', null])?.({})).toBe(true)
  expect(passes(['a', 'b'])?.({})).toBe(false)
  expect(passes(['a'])?.({ [facet]: { S: 'a' } })).toBe(true)
})
