import { expect, test } from 'vitest'
import { inTurn } from './lambda.ts'

const event = { Records: [], state: { kept: 1 } }
const handler =
  (...itemIdentifiers: string[]) =>
  async () => ({
    batchItemFailures: itemIdentifiers.map((itemIdentifier) => ({ itemIdentifier })),
    state: {},
  })

test('of several handlers the first record that any of them has not done comes again, and the state is kept', async () => {
  expect(await inTurn([handler('100'), handler(), handler('99')])(event)).toEqual({
    batchItemFailures: [{ itemIdentifier: '99' }],
    state: { kept: 1 },
  })
  expect(await inTurn([handler(), handler()])({ Records: [] })).toEqual({ batchItemFailures: [], state: {} })
})
