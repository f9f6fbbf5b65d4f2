import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CliHome, openCliHome } from './run-cli.ts'

let home: CliHome
const children: ChildProcess[] = []

/** The path of a file of the repository, which a configuration elsewhere imports by it. */
const at = (path: string): string => new URL(`../../../${path}`, import.meta.url).pathname

const CONFIG = `
import { defineConfig } from '${at('packages/cli/dist/index.js')}'
import { anyOf, defineCollection } from '${at('packages/lapidary/dist/index.js')}'
const schema = { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } }
const collection = (name) => defineCollection({
  name, schema, id: 'id', scope: { name: 'SHOP', attribute: 'shop' }, order: 'at', facets: { kind: anyOf(['a', 'b']) },
})
  export default defineConfig({ tableName: 'both', collections: { orders: collection('ORDER'), bills: collection('BILL') } })
`

beforeAll(async () => {
  home = await openCliHome()
  const { code, stderr } = await home.run(['generate', '--products', '3', '--comments', '50', '--seed', '1'])
  expect([code, stderr]).toEqual([0, expect.any(String)])
})
afterAll(async () => {
  for (const child of children) if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit')
  await home?.[Symbol.asyncDispose]()
})

/** Starts the studio, and waits for its address. */
async function start(args: readonly string[] = []) {
  const child = home.start(['studio', '--port', '0', ...args])
  children.push(child)
  let stderr = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk
  })
  const ended = once(child, 'close') as Promise<[number | null]>
  const first = await Promise.race([once(child.stdout ?? child, 'data'), ended])
  const stdout = first[0] instanceof Buffer ? String(first[0]) : ''
  return {
    stdout,
    async stop() {
      const begun = performance.now()
      child.kill('SIGTERM')
      const [code] = await ended
      return { code, stderr, ms: performance.now() - begun }
    },
    result: async () => ({ code: (await ended)[0], stderr }),
  }
}

/** Opens the printed address, and returns how to ask for pages of its session. */
async function enter(address: string) {
  const { headers, status } = await fetch(address, { redirect: 'manual' })
  expect(status).toBe(303)
  const cookie = headers.get('set-cookie')?.split(';')[0] ?? ''
  const { origin } = new URL(address)
  return {
    get: (path: string) => fetch(origin + path, { headers: { cookie } }),
    post: (path: string, form: Readonly<Record<string, string>>) =>
      fetch(origin + path, {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie, origin },
        body: new URLSearchParams(form),
      }),
  }
}

describe('lapidary studio', () => {
  it('prints its address, shows what the commands do, and ends by SIGTERM', async () => {
    const studio = await start()
    expect(studio.stdout).toMatch(/^studio on http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{32}\n$/)
    const pages = await enter(studio.stdout.slice('studio on '.length).trim())
    const html = await (await pages.get('/c/comments?scope=42')).text()
    const listed = await home.run(['list', '--scope', '42', '--json'])
    const ids = (JSON.parse(listed.stdout) as { items: { id: string }[] }).items.map(({ id }) => id)
    expect(ids.length).toBeGreaterThan(0)
    expect([...html.matchAll(/class="column-id"><a href="[^"]*id=([^"]*)"/g)].map(([, id]) => id)).toEqual(ids)
    const { code, ms } = await studio.stop()
    expect(code).toBe(0)
    expect(ms).toBeLessThan(5_000)
  })

  it('tells in JSON where it is, and has the doctor’s findings', async () => {
    const studio = await start(['--json'])
    const { url, port } = JSON.parse(studio.stdout) as { url: string; port: number }
    expect(new URL(url).port).toBe(String(port))
    const pages = await enter(url)
    expect((await pages.post('/operate/start', { kind: 'doctor' })).status).toBe(303)
    let job = ''
    while (!job.includes('data-state="ended"')) job = await (await pages.get('/operate/job')).text()
    expect(job).toContain(
      'keys, indexes (all, byLanguage, byRating, byLanguageAndRating, allByHelpful, byLanguageByHelpful, allByRating), projections',
    )
    expect((await studio.stop()).code).toBe(0)
  })

  it('shows every collection of a configuration, whatever --collection would choose', async () => {
    const file = home.file('lapidary.config.ts')
    writeFileSync(file, CONFIG)
    const none = await start(['--config', file])
    expect(await none.result()).toEqual({ code: 1, stderr: expect.stringContaining('there is no table both') })
    const bill = { id: 'b1', shop: 's', at: '2026-01-01T00:00:00.000Z', kind: 'a' }
    writeFileSync(home.file('bills.jsonl'), JSON.stringify(bill))
    const imported = await home.run(['import', home.file('bills.jsonl'), '--collection', 'bills', '--config', file])
    expect([imported.code, imported.stderr]).toEqual([0, expect.any(String)])
    const studio = await start(['--config', file])
    const pages = await enter(studio.stdout.slice('studio on '.length).trim())
    expect(await (await pages.get('/c/bills?scope=s')).text()).toContain('item?id=b1"')
    expect(await (await pages.get('/c/orders?scope=s')).text()).toContain('There are no items here.')
    expect((await studio.stop()).code).toBe(0)
  })

  it.each(['-1', '65536', 'any'])('refuses the port %s', async (port) => {
    const { code, stderr } = await home.run(['studio', '--port', port])
    expect([code, stderr]).toEqual([2, expect.stringContaining('whole number')])
  })

  it('says that a port is taken', async () => {
    const first = await start(['--json'])
    const { port } = JSON.parse(first.stdout) as { port: number }
    const { code, stderr } = await home.run(['studio', '--port', String(port)])
    expect([code, stderr]).toEqual([1, expect.stringContaining(`the port ${port} is taken`)])
    await first.stop()
  })
})
