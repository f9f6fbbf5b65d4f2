import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Answer } from '../../site/playground/answer.ts'
import type { DataGiven } from '../../site/playground/question.ts'
import { sources } from '../architecture/sources.ts'
import { type BuiltPlayground, buildPlayground } from './built.ts'

/** What a phone has to load before it can plan. */
const MOST_KILOBYTES = 320
const MOST_KILOBYTES_PACKED = 110

const ORDERS = `const orders = defineCollection({
  name: 'ORDER',
  schema: undefined,
  id: 'id',
  scope: { name: 'CUSTOMER', attribute: 'customer' },
  order: 'placedAt',
  facets: { status: anyOf(['OPEN', 'SENT']), city: oneOf() },
  indexes: { byDate: {}, byStatus: { partition: ['status'] } },
})`
const OPEN = "orders.list({ scope: 'c1', where: { status: 'OPEN' } })"
const CREATED = `${ORDERS}\nconst lapidary = createLapidary({ tableName: 'orders', collections: { orders } })`

let playground: BuiltPlayground
beforeAll(async () => {
  playground = await buildPlayground()
}, 600_000)

const ask = (declaration: string, query: string, data: DataGiven = {}): Promise<Answer> =>
  playground.ask({ declaration, query, data })

describe('the examples of the playground', () => {
  test('are all planned, each with a price and keys', async () => {
    const { examples } = playground
    expect(examples.length).toBeGreaterThan(25)
    for (const { id, declaration, queries } of examples) {
      for (const { text } of queries) {
        const answer = await ask(declaration, text)
        expect(answer.problem, `${id}: ${text}`).toBeUndefined()
        expect(playground.checkedAnswer(JSON.stringify(answer)), id).toBeDefined()
        expect(answer.plan?.explained.text, id).toMatch(/ RCU, \d rounds?$/)
        expect(answer.declared?.keys.count, id).toBeGreaterThan(0)
        expect(answer.declared?.writes[0]?.units, id).toBeGreaterThan(0)
        expect(
          Object.values(answer.declared?.table ?? {}).every((text) => text.includes('PK')),
          id,
        ).toBe(true)
      }
    }
  })

  test('are every program of the documents and of examples/ that declares a collection, but for tables of other programs', () => {
    const opened = new Set(playground.examples.map(({ code }) => code))
    const declaring = sources(['README.md', 'docs', 'packages'], /\.md$/)
      .filter(({ path }) => !path.startsWith('docs/decisions/'))
      .flatMap(({ path, text }) =>
        [...text.matchAll(/^```ts\b[^\n]*\n([\s\S]*?)^```$/gm)].flatMap(([, code = '']) =>
          /= defineCollection\(/.test(code) ? [{ path, code }] : [],
        ),
      )
    expect(declaring.length).toBeGreaterThan(15)
    const missing = declaring.filter(({ code }) => !opened.has(code) && !/= attach\(/.test(code))
    expect(missing.map(({ path, code }) => `${path}: ${code.slice(0, 200)}`)).toEqual([])
    const programs = sources(['examples']).filter(({ text }) => /= defineCollection\(/.test(text))
    const names = new Set(programs.map(({ path }) => path.split('/')[1]))
    const shown = playground.examples.filter(({ group }) => group.startsWith('Programs')).map(({ title }) => title)
    expect(shown.toSorted()).toEqual([...names].toSorted())
  })

  test('each have an anchor of their own', () => {
    const ids = playground.examples.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.filter((id) => !/^example-[a-z0-9-]+$/.test(id))).toEqual([])
  })
})

describe('the program of the playground', () => {
  test('is small, and has nothing of the AWS SDK', () => {
    const { worker } = playground
    expect(worker.length).toBeLessThan(MOST_KILOBYTES * 1024)
    expect(gzipSync(worker).length).toBeLessThan(MOST_KILOBYTES_PACKED * 1024)
    expect(worker).not.toMatch(/aws-sdk|smithy/)
  })

  test('takes code as it stands in a program, with types and imports', async () => {
    const code = `import { anyOf, defineCollection } from 'lapidary'
      type Status = 'OPEN' | 'SENT'
      const statuses = ['OPEN', 'SENT'] as const satisfies readonly Status[]
      export ${CREATED.replace("anyOf(['OPEN', 'SENT'])", 'anyOf(statuses!)')}`
    const answer = await ask(code, `lapidary.${OPEN} as never;`)
    expect(answer.problem).toBeUndefined()
    expect(answer.plan?.explained.text).toBe('byStatus[c1/OPEN] BY position DESC LIMIT 20 -- 1.5 RCU, 1 round')
  })

  test('asks a single collection by what list takes', async () => {
    const answer = await ask(ORDERS, "{ scope: 'c1', where: { status: 'OPEN' } }")
    expect(answer.plan?.explained.text).toContain('byStatus[c1/OPEN]')
  })

  test.each([
    [
      'a mistake of the declaration',
      ORDERS.replace("'ORDER'", "'order'"),
      OPEN,
      'declaration',
      1,
      /"order" can't be part of a key/,
    ],
    ['an option that is unknown', ORDERS.replace('indexes:', 'index:'), OPEN, 'declaration', 1, /index/],
    ['a name that is not declared', `${CREATED}\nmissing()`, OPEN, 'declaration', 11, /missing is not defined/],
    [
      'a facet that does not exist',
      CREATED,
      "lapidary.orders.list({ scope: 'c1', where: { colour: 'red' } })",
      'query',
      undefined,
      /colour/,
    ],
    [
      'a value that does not exist',
      CREATED,
      "lapidary.orders.list({ scope: 'c1', where: { status: 'LOST' } })",
      'query',
      undefined,
      /"LOST"/,
    ],
    [
      'an option of list that is unknown',
      CREATED,
      "lapidary.orders.list({ scope: 'c1', page: 3 })",
      'query',
      undefined,
      /page/,
    ],
    ['a query that is no list', CREATED, 'lapidary.orders', 'query', undefined, /ask a list/],
    ['a mistake in a query', CREATED, 'lapidary\n  .goods.list({})', 'query', 2, /undefined/],
    ['nothing declared', 'const a = 1', OPEN, 'declaration', undefined, /nothing is declared/],
    [
      'several without names',
      `${ORDERS}\ndefineCollection({ ...orders, order: 'placedAt', name: 'OTHER' })`,
      OPEN,
      'declaration',
      undefined,
      /./,
    ],
  ] as const)('tells of %s where it is', async (_, declaration, query, where, line, message) => {
    const { problem } = await ask(declaration, query)
    expect(problem?.message).toMatch(message)
    expect(problem?.in).toBe(where)
    if (line !== undefined) expect(problem?.line).toBe(line)
  })

  test('keeps what the declaration gives when the query is wrong', async () => {
    const { declared, plan, problem } = await ask(CREATED, 'lapidary.orders.list({ scope: 7 })')
    expect(problem?.in).toBe('query')
    expect(plan).toBeUndefined()
    expect(declared?.table['create-table']).toContain('"TableName": "orders"')
  })

  test('prices by the adviser: dollars a million pages and write units of each index', async () => {
    const { plan, declared } = await ask(CREATED, `lapidary.${OPEN}`)
    // $0.125 a million read units; provisioned: a unit is 3,600 pages of 1 RCU an hour, used to 70 %.
    const rcu = plan?.explained.estimated.rcu ?? 0
    expect(plan?.dollars.onDemand).toBeCloseTo(0.125 * rcu, 10)
    expect(plan?.dollars.provisioned).toBeCloseTo(((rcu * 1e6) / 3600 / 0.7) * 0.00013, 10)
    const units = Object.fromEntries(declared?.writes.map(({ what, byIndex }) => [what, byIndex]) ?? [])
    expect(units['create an item']).toEqual({ '': 1, byDate: 1, byStatus: 1 })
    // A unit to take the entry out of its old place, one to put it into the new.
    expect(units['change its status']?.byStatus).toBeCloseTo(2, 10)
    expect(units['change its city']).toMatchObject({ '': 1 })
  })

  test('plans by the counts of the items that a person supposes', async () => {
    const data = { counts: true, items: 5_000, shares: { status: { OPEN: 1, SENT: 99 } } }
    const { plan, declared } = await ask(CREATED, `lapidary.${OPEN}`, data)
    expect(plan?.explained.basis).toBe('statistics')
    expect(declared?.data.facets[0]?.values.map(({ share }) => share)).toEqual([0.01, 0.99])
    // The list has 50 items, and counts cost a read.
    expect(plan?.explained.tree.inputs.map(({ kind }) => kind)).toContain('counts')
    const few = await ask(CREATED, `lapidary.${OPEN}`, { ...data, items: 100 })
    expect(few.plan?.explained.lists.rcu).toBeLessThan(plan?.explained.lists.rcu ?? 0)
  })

  test('answers odd data without failing', async () => {
    for (const data of [
      { items: -4, itemBytes: Number.NaN },
      { items: 1e12, shares: { status: { OPEN: 0, SENT: 0 }, nothing: { a: 1 } } },
      { shares: { status: { OPEN: Number.NaN, SENT: -1 } }, counts: true },
    ]) {
      const answer = await ask(CREATED, `lapidary.${OPEN}`, data as DataGiven)
      expect(answer.problem).toBeUndefined()
      expect(answer.plan?.explained.estimated.rcu).toBeGreaterThan(0)
    }
  })
})
