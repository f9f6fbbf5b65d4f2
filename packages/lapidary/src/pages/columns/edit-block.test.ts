import { expect, test } from 'vitest'
import type { TreeStep } from '../tree/steps.ts'
import { firstBlock } from './block.ts'
import { editBlock } from './edit-block.ts'

const NONE = new Map()
const place = (score: number) => ({ score, member: 'm' })
const step = (op: TreeStep['op'], score: number, cell = 'en#5'): TreeStep =>
  ({ op, group: '42', cell, place: place(score) }) as TreeStep

test('steps that change nothing of a block write nothing', () => {
  const block = editBlock(firstBlock(), [step('add', 1)], NONE) ?? expect.fail()
  expect(editBlock(block, [step('add', 1)], NONE)).toBeUndefined()
  expect(editBlock(block, [step('fill', 1, 'de#1')], NONE)).toBeUndefined()
  expect(editBlock(block, [step('remove', 2)], NONE)).toBeUndefined()
  // Another change was faster: what is there is not what this one takes away.
  expect(editBlock(block, [step('remove', 1, 'de#1')], NONE)).toBeUndefined()
  expect(editBlock(block, [step('add', 1, 'de#1')], NONE)?.delta.map(({ cell }) => cell)).toEqual(['de#1'])
  expect(editBlock(block, [step('remove', 1)], NONE)?.delta).toEqual([])
})

test('what was removed while a block is filled comes in by a change, and not by the scan', () => {
  const buried = editBlock(firstBlock(), [step('bury', 1), step('bury', 2)], NONE) ?? expect.fail()
  expect(buried.buried).toEqual([place(1), place(2)])
  expect(editBlock(buried, [step('bury', 1)], NONE)).toBeUndefined()
  expect(editBlock(buried, [step('fill', 1)], NONE)).toBeUndefined()
  const added = editBlock(buried, [step('add', 1)], NONE)
  expect(added?.buried).toEqual([place(2)])
  expect(added?.delta.map((row) => row.place)).toEqual([place(1)])
  expect(editBlock(buried, [step('fill', 3)], NONE)?.buried).toHaveLength(2)
})
