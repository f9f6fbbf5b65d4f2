import { expect, test } from 'vitest'
import { testEngines } from '../../../test/engines/index.ts'
import { entryWrites } from '../src/writes/entry-writes.ts'
import { describeWritePath } from './suites/write-path.ts'

describeWritePath(testEngines())

test('of many entries those that stay are changed, those that are new put, those that are gone deleted', () => {
  const entry = (PK: string, SK: string, rest: object) => ({ PK: { S: PK }, SK: { S: SK }, ...rest })
  const before = [entry('C#1', '~', { r: { N: '4' } }), entry('C#1', 'en/4', { r: { N: '4' }, x: { S: 'a' } })]
  const after = [entry('C#1', '~', { r: { N: '5' } }), entry('C#1', 'en/5', { r: { N: '5' } })]
  expect(entryWrites(before, after)).toEqual([
    { kind: 'update', key: { PK: { S: 'C#1' }, SK: { S: '~' } }, set: { r: { N: '5' } }, remove: [] },
    { kind: 'put', key: { PK: { S: 'C#1' }, SK: { S: 'en/5' } }, entry: after[1] },
    { kind: 'delete', key: { PK: { S: 'C#1' }, SK: { S: 'en/4' } } },
  ])
})
