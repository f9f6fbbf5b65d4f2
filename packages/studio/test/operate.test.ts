import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { PATIENCE } from '../../../test/engines/patience.ts'
import { openStudioHarness, type StudioHarness, someOrders } from './studio-harness.ts'

let harness: StudioHarness
/** Ends the doctor's checks of these tests, which take as long as a test wants. */
let endChecks: () => void = () => {}

beforeAll(async () => {
  harness = await openStudioHarness({
    examine: (signal) =>
      new Promise((resolve, reject) => {
        endChecks = () => resolve([{ check: 'table', ok: false, message: 'is <b>away</b>', remedy: 'bring it back' }])
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
      }),
  })
  for (const order of someOrders(40)) await harness.lapidary.orders.create(order)
})
afterAll(() => harness?.[Symbol.asyncDispose]())

const page = async (): Promise<string> => (await harness.get('/operate')).text()
const start = (kind: string): Promise<Response> => harness.post('/operate/start', { kind })
const ended = (): Promise<string> =>
  vi.waitFor(async () => {
    const job = await (await harness.get('/operate/job')).text()
    expect(job).toContain('data-state="ended"')
    return job
  }, PATIENCE)

describe('the page of what is operated', () => {
  it('tells changes that nothing counts, and what to do about them; the button counts them', async () => {
    const before = await page()
    expect(before).toContain('40 changes are not counted, and no process holds the stream: Count what waits')
    expect((await start('catch-up')).headers.get('location')).toBe('/operate')
    expect(await ended()).toContain('Everything in the stream is counted')
    const after = await page()
    expect(after).toContain('known and counted to the end')
    expect((await harness.lapidary.orders.count({ scope: 'c1' })).total).toBe(40)
  })

  it('has the state of each index and of all that is derived', async () => {
    const html = await page()
    for (const { index } of await harness.lapidary.table.indexStates()) expect(html).toContain(`<code>${index}</code>`)
    for (const { name } of await harness.lapidary.derived.states())
      expect(html).toContain(`<th scope="row">${name}</th>`)
  })

  it('verifies, and says that there is no difference', async () => {
    await start('verify')
    expect(await ended()).toContain('<b>No differences</b>')
  })

  it.each(['repair', 'rebuild-statistics', 'rebuild-pages', 'rebuild-all', 'backfill'])(
    'runs %s to its end',
    async (kind) => {
      await start(kind)
      const job = await ended()
      expect(job).toContain('<span class="tag">done</span>')
      expect(await page()).toContain('known and counted to the end')
    },
  )

  it('names each difference, and each item that can’t be counted', async () => {
    await harness.writeRaw('c1-0000', 'status', { S: '<i>NEVER</i>' })
    await harness.writeRaw('c1-0001', 'country', { M: {} })
    await harness.lapidary.stream.catchUp()
    await start('verify')
    const job = await ended()
    expect(job).toMatch(/[1-9] differences?<\/b>/)
    expect(job).toContain('ORDER#c1-0000')
    expect(job).toContain('can’t be counted:')
    expect(job).toContain('ORDER#c1-0001')
    expect(job).not.toContain('<i>NEVER')
    expect(await page()).toContain('could not be counted: mend the items, then Repair')
  })
})

describe('operations', () => {
  it('run one at a time, tell where they are, and can be stopped', async () => {
    await start('doctor')
    expect(await page()).toMatch(/id="job" data-state="running"/)
    expect(await page()).toContain('<button class="button button-quiet" type="submit" disabled')
    const second = await start('verify')
    expect(second.status).toBe(409)
    expect(await second.text()).toContain('Doctor is still running')
    expect((await harness.post('/operate/stop', { back: '/operate' })).status).toBe(303)
    expect(await ended()).toContain('stopped')
    await start('doctor')
    endChecks()
    const job = await ended()
    expect(job).toContain('1 thing to do')
    expect(job).toContain('is &lt;b&gt;away&lt;/b&gt;')
    expect(job).toContain('Do: bring it back')
  })

  it('that there are none of are refused, and a stop leads nowhere else', async () => {
    expect((await start('drop-table')).status).toBe(400)
    const answer = await harness.post('/operate/stop', { back: '//evil.example/c/x/adviser' })
    expect(answer.headers.get('location')).toBe('/operate')
  })

  it('end with the studio', async () => {
    const own = await openStudioHarness({
      examine: (signal) =>
        new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
        ),
    })
    await own.post('/operate/start', { kind: 'doctor' })
    await own[Symbol.asyncDispose]()
    await expect(fetch(own.origin)).rejects.toThrow()
  })
})

describe('the adviser', () => {
  it('compares layouts for the queries of this session, over the items that were shown', async () => {
    for (const filter of ['is.status=OPEN', 'is.status=OPEN&limit=10', 'is.country=de'])
      expect((await harness.get(`/c/orders?scope=c1&${filter}`)).status).toBe(200)
    const asked = await (await harness.get('/c/orders/adviser')).text()
    expect(asked).toContain('3 pages of orders by 3 queries')
    expect(asked).toContain('{&quot;status&quot;:[&quot;OPEN&quot;]}')
    expect((await harness.post('/c/orders/adviser', { reads: '200', writes: '5' })).status).toBe(303)
    const job = await ended()
    expect(job).toContain('a month')
    expect(job).toContain('Declare it')
    expect(harness.reported).toEqual([])
  })

  it('says which rate is no number', async () => {
    const answer = await harness.post('/c/orders/adviser', { reads: 'many', writes: '5' })
    expect(answer.status).toBe(400)
    expect(await answer.text()).toContain('pages a second have to be a number')
  })
})
