import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CliHome, openCliHome } from './run-cli.ts'

let home: CliHome
beforeAll(async () => {
  home = await openCliHome()
})
afterAll(() => home[Symbol.asyncDispose]())

const RATES = ['--writes-per-second', '5', '--reads-per-second', '200']

test('prints a row for each layout, the reason, and what to declare', async () => {
  const { code, stdout } = await home.run(['advise', ...RATES, '--item-bytes', '500'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^layout .* on demand +provisioned/)
  expect(stdout).toMatch(/^indexes, as declared +8\.00 /m)
  expect(stdout).toMatch(/^(native keys|indexes), the cheapest set costs \$[\d.]+ a month/m)
  expect(stdout).toMatch(/^page index .*look-up +writes/m)
  for (const index of ['none', 'dynamodb', 'redis', 'postgres', 'file', 's3'])
    expect(stdout).toMatch(new RegExp(`^${index} +\\d`, 'm'))
  expect(stdout).toContain('page-markers: refused, it keeps only the default order')
  expect(stdout).toContain('Page index: none. No query asks for a page by number.')
  expect(stdout).toMatch(/no other set of them is cheaper|the search ended early/)
  expect(stdout).toMatch(/indexes: \{\n {2}\w+: /)
  expect(stdout).toContain('prices of 2026-11-22')
})

test('takes the workload and the prices from files, and prints JSON', async () => {
  const workload = home.file('workload.json')
  const queries = [
    { where: { language: 'en' }, share: 0.9 },
    { where: { language: 'en', rating: [4, 5] }, share: 0.1 },
  ]
  writeFileSync(workload, JSON.stringify({ writesPerSecond: 1, readsPerSecond: 1, queries }))
  const prices = home.file('prices.json')
  const free = { millionWriteUnits: 0, millionReadUnits: 1 }
  const rates = { onDemand: free, provisioned: { writeUnitHour: 0, readUnitHour: 1 }, gigabyteMonth: 0 }
  writeFileSync(prices, JSON.stringify({ region: 'moon', date: '2026-01-01', source: 'none', ...rates }))
  const asked = ['--workload', workload, '--prices', prices, '--reads-per-second', '10', '--json']
  const { code, stdout } = await home.run(['advise', ...asked])
  expect(code).toBe(0)
  const { choice, prices: used } = JSON.parse(stdout)
  expect(used.region).toBe('moon')
  expect(choice.price.writes).toBe(0)
  expect(choice.readUnitsPerSecond / choice.unitsPerRead).toBeCloseTo(10)
})

test('takes queries from a log, and sizes and values from the table', async () => {
  await home.run(['generate', '--products', '2', '--comments', '60', '--seed', '7'])
  const log = home.file('queries.jsonl')
  const lines = [...Array(9).fill({ where: { language: 'en' } }), { scope: '42', where: { rating: [1] }, limit: 5 }]
  writeFileSync(log, lines.map((line) => JSON.stringify(line)).join('\n'))
  const asked = ['advise', ...RATES, '--log', log, '--sample', '50', '--page-share', '0.2']
  const { code, stdout } = await home.run([...asked, '--json'])
  expect(code).toBe(0)
  const { choice, layouts, pages } = JSON.parse(stdout)
  expect(choice.unitsPerRead).toBeGreaterThan(0)
  // Only real items tell what packing saves.
  const bytes = (codec?: string): number =>
    layouts.find(
      (one: { name: string }) => one.name === `indexes, as declared${codec === undefined ? '' : `, ${codec}`}`,
    ).storedBytes
  expect(bytes('deflated')).toBeLessThan(0.95 * bytes())
  expect(bytes('packed')).toBeLessThanOrEqual(bytes())
  expect(pages.choice).toMatch(/^(dynamodb|page-markers)$/)
  writeFileSync(log, '{"where": {"language": "en"}}\nnot json')
  const spoilt = await home.run(['advise', ...RATES, '--log', log])
  expect([spoilt.code, spoilt.stderr]).toEqual([2, expect.stringMatching(/line 2 of .* is no JSON/)])
})

test.each([
  [['--writes-per-second', '5', '--reads-per-second', '0'], /readsPerSecond is 0/],
  [['--writes-per-second', '5'], /needs --reads-per-second/],
  [['--writes-per-second', '-5', '--reads-per-second', '1'], /writesPerSecond is -5/],
  [[...RATES, '--item-bytes', 'many'], /takes a number/],
])('refuses %s as wrong usage', async (flags, message) => {
  const { code, stderr } = await home.run(['advise', ...flags])
  expect(stderr).toMatch(message)
  expect(code).toBe(2)
})
