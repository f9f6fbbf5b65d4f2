import { writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { openCliHome } from './run-cli.ts'

const LIBRARY = new URL('../../lapidary/dist/index.js', import.meta.url)
const CONFIG = `
import { anyOf, defineCollection, oneOf } from '${LIBRARY}'
const orders = defineCollection({
  name: 'ORDER', id: 'id', scope: { name: 'CUSTOMER', attribute: 'customer' }, order: 'at',
  schema: { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } },
  facets: { channel: oneOf(), status: anyOf(['OPEN', 'PAID']) },
  numbers: { amount: 'decimal', points: 'bigint' },
  sums: ['amount', 'points'],
  statistics: { across: 2, days: true },
})
  export default { tableName: 'orders', collections: { orders }, derived: { counts: true } }
`
const ORDERS = [
  { customer: 'a', status: 'OPEN', at: '2024-01-31T23:59:59.999Z', amount: '0.1', points: 9 },
  { customer: 'a', status: 'PAID', at: '2024-03-01T00:00:00.000Z', amount: '0.2', points: 9 },
  { customer: 'b', status: 'PAID', at: '2024-03-02T00:00:00.000Z', points: 9 },
]

it('count tells sums, the facets that it is asked for, a time line, and all scopes together', async () => {
  await using home = await openCliHome()
  const config = home.file('lapidary.config.ts')
  writeFileSync(config, CONFIG)
  const lines = ORDERS.map((order, i) => JSON.stringify({ id: `o${i}`, channel: 'web', ...order }))
  writeFileSync(home.file('orders.jsonl'), lines.join('\n'))
  const flags = ['--config', config, '--table-name', 'orders']
  const imported = await home.run(['import', home.file('orders.jsonl'), '--derived', 'now', ...flags])
  expect([imported.code, imported.stderr]).toEqual([0, expect.not.stringContaining('rejected')])
  const count = (...args: string[]) => home.run(['count', ...args, ...flags])

  const text = await count('--scope', 'a', '--by', 'status', '--sums', 'amount,points', '--every', 'month')
  expect(text.stdout.split('\n').slice(0, -2)).toEqual([
    '2 items',
    'status: OPEN 1, PAID 1',
    'amount: 0.3 of 2 items, average 0.15',
    'points: 18 of 2 items, average 9',
    '2024-01-01  1 item  0.1 of 1 item  9 of 1 item',
    '2024-02-01  0 items  0 of 0 items  0 of 0 items',
    '2024-03-01  1 item  0.2 of 1 item  9 of 1 item',
  ])
  const all = JSON.parse((await count('--sums', 'amount,points', '--json')).stdout)
  expect(all).toMatchObject({ total: 3, facets: { channel: { web: 3 }, status: { OPEN: 1, PAID: 2 } }, series: [] })
  expect(all.sums).toEqual({
    amount: { sum: '0.3', average: '0.15', count: 2 },
    points: { sum: '27', average: 9, count: 3 },
  })
  const none = await count(
    '--scope',
    'c',
    '--sums',
    'amount',
    '--every',
    'day',
    '--from',
    '2024-01-01',
    '--to',
    '2024-01-02',
  )
  expect(none.stdout).toContain('amount: 0 of 0 items, average of none\n2024-01-01  0 items')
  for (const [args, message] of [
    [['--by', 'colour'], '"colour" is none of the facets that are counted here, which are channel, status'],
    [['--sums', 'at'], '"at" is not among the sums of the declaration, which are amount, points'],
    [['--every', 'day', '--zone', 'Europe/Berlin'], 'items are counted by the days of UTC'],
    [['--from', '2024-01-01'], 'count by days with every'],
  ] as const) {
    expect((await count('--scope', 'a', ...args)).stderr).toContain(message)
  }
})
