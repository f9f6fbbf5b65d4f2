import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { requestIds, withinRequest } from './request-scope.ts'

test('whatever is logged for a request has its id, also among requests that are answered at once', async () => {
  const logged = async (id: string): Promise<unknown[]> => {
    const lines: unknown[] = [requestIds()]
    for (let i = 0; i < 3; i++) {
      await pause(1)
      lines.push(requestIds())
    }
    return [id, ...lines]
  }
  const ids = Array.from({ length: 10 }, (_, i) => `request-${i}`)
  const all = await Promise.all(ids.map((id) => withinRequest(id, undefined, () => logged(id))))
  expect(all).toEqual(ids.map((id) => [id, { id }, { id }, { id }, { id }]))
  expect(requestIds()).toEqual({})
})
