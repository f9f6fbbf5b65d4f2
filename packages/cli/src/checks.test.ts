import { expect, test } from 'vitest'
import { replicaCheck } from './checks.ts'
import type { Session } from './session.ts'

const sessionOf = (table: object): Session => ({ requireTable: async () => table }) as unknown as Session

test('names the other regions of a global table, where projections must not run too', async () => {
  expect(await replicaCheck(sessionOf({}))).toEqual([])
  const [found] = await replicaCheck(
    sessionOf({ Replicas: [{ RegionName: 'eu-west-1' }, { RegionName: 'us-west-2' }] }),
  )
  expect(found).toMatchObject({ ok: true, message: expect.stringContaining('eu-west-1, us-west-2') })
  expect(found?.message).toContain('one region only')
})
