import { expect, test } from 'vitest'
import { ChangeSet } from './change-set.ts'
import { EMPTY_LIST } from './disk-list.ts'

test('a drop that is taken back after a commit shows the new base', () => {
  const base = (count: number) => () => ({ ...EMPTY_LIST, count })
  const changes = new ChangeSet({ low: 1, high: 2 }, base(3))
  expect(changes.changed('x').count).toBe(3)
  const takeBack = changes.drop('x')
  expect(changes.list('x').count).toBe(0)
  // Equal lists have equal counts; another one tells the bases apart.
  changes.rebase(base(4))
  takeBack()
  expect(changes.list('x').count).toBe(4)
})
