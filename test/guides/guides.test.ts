import { existsSync, readdirSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { openBrowser } from '../../apps/comments/test/web/test-browser.ts'
import { ROOT } from '../architecture/sources.ts'
import { install, packAll } from '../package/packages.ts'
import { type Guide, readGuide } from './guide.ts'
import { type Pasted, paste } from './pasted.ts'

/** What the guides install from the registry, once for all of them, in the versions that are tested. */
const VERSIONS: Readonly<Record<string, string>> = {
  '@aws-sdk/client-dynamodb': '3.1162.0',
  '@aws-sdk/client-dynamodb-streams': '3.1141.0',
  '@aws-sdk/lib-dynamodb': '3.1162.0',
  '@aws-sdk/util-dynamodb': '3.996.9',
  '@types/node': '20.19.0',
  '@types/react': '19.3.0',
  '@types/react-dom': '19.3.0',
  'dynamodb-toolbox': '2.10.6',
  electrodb: '3.9.3',
  esbuild: '0.28.2',
  'graphql@16': '16.15.0',
  jest: '30.5.2',
  next: '16.4.6',
  react: '19.3.1',
  'react-dom': '19.3.1',
  tsx: '4.23.15',
  typescript: '7.0.2',
  vite: '8.3.8',
  vitest: '4.1.12',
  zod: '4.6.7',
}
const OWN = ['lapidary', 'lapidary-engine']

/** Pages that serve until they are ended: a test of their own opens them. */
const SERVES = new Set(['guides/infinite-scroll.md', 'guides/nextjs.md'])
const PAGES = [
  'recipes.md',
  ...readdirSync(join(ROOT, 'docs/guides'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `guides/${name}`),
]

/** A build takes longer than a test may elsewhere where other programs use the machine. */
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 })

const folders: string[] = []
const guides = new Map<string, { readonly guide: Guide; readonly pasted: Pasted }>()

beforeAll(async () => {
  const packed = await packAll(['lapidary', 'engine'])
  const tarballs = [...packed.values()].map(({ tarball }) => tarball)
  const shared = await mkdtemp(join(tmpdir(), 'lapidary-test-'))
  folders.push(shared, dirname(tarballs[0] ?? ''))
  const packages = Object.entries(VERSIONS).map(([name, version]) => `${name.replace(/(?<=.)@.*/, '')}@${version}`)
  await install(shared, [...tarballs, ...packages])
  for (const page of PAGES) {
    const guide = await readGuide(page)
    const folder = join(shared, page.replace(/^.*\//, '').replace('.md', ''))
    await mkdir(folder)
    guides.set(page, { guide, pasted: await paste(guide, folder) })
  }
})

afterAll(async () => {
  // Jest keeps what it has transformed.
  folders.push(join(tmpdir(), `jest_${process.getuid?.().toString(36)}`))
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
})

function pastedPage(page: string): { readonly guide: Guide; readonly pasted: Pasted } {
  const found = guides.get(page)
  if (found === undefined) throw new Error(`${page} is no guide`)
  return found
}

/** Runs the page's commands in their order, those that install excepted; returns the one that serves. */
async function follow(page: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { guide, pasted } = pastedPage(page)
  const commands = guide.commands.filter(({ line }) => !line.startsWith('npm install '))
  const serves = SERVES.has(page) ? (commands.pop()?.line ?? '') : ''
  for (const { line, prints } of commands) {
    const printed = await pasted.run(line, env)
    if (prints !== undefined) expect(printed.trim()).toBe(prints.trim())
  }
  return serves
}

describe.each(PAGES)('%s, pasted into an empty folder', (page) => {
  test('installs what the tests have, and says where each block belongs', () => {
    const { guide } = pastedPage(page)
    const installed = guide.commands.flatMap(
      ({ line }) => /^npm install (?:--save-dev )?(.*)$/.exec(line)?.[1]?.split(' ') ?? [],
    )
    expect(installed.length).toBeGreaterThan(3)
    expect(installed.filter((name) => VERSIONS[name] === undefined && !OWN.includes(name))).toEqual([])
    expect(guide.nameless).toEqual([])
  })

  if (!SERVES.has(page)) {
    test('compiles, and runs as it says', async () => {
      await follow(page, { DYNAMODB_ENDPOINT: inject('dynamodbLocalEndpoint') })
      expect(await pastedPage(page).pasted.compile()).toBe('')
    })
  }
})

test('the infinite scroll loads to its end in a browser, and begins anew with another filter', async () => {
  const { pasted } = pastedPage('guides/infinite-scroll.md')
  const serves = await follow('guides/infinite-scroll.md')
  expect(await pasted.compile()).toBe('')
  await using served = await pasted.serve(serves)
  const browser = await openBrowser(served.address)
  try {
    const page = await browser.open('/')
    const scrolled = async (): Promise<readonly string[]> => {
      const end = page.getByText('No more comments')
      await expect
        .poll(async () => {
          await page.mouse.wheel(0, 5_000)
          return end.count()
        })
        .toBe(1)
      return page.locator('li').allTextContents()
    }
    await page.locator('li').first().waitFor()
    // The first page fills the window and no more.
    expect(await page.locator('li').count()).toBeLessThan(200)
    const all = Array.from({ length: 200 }, (_, i) => 200 - i)
    expect(await scrolled()).toEqual(all.map((i) => `${1 + (i % 5)}: Comment ${i}`))
    await page.getByRole('combobox').selectOption('5')
    await page.getByText('1: ').first().waitFor({ state: 'detached' })
    expect(await scrolled()).toEqual(all.filter((i) => i % 5 === 4).map((i) => `5: Comment ${i}`))
  } finally {
    await browser.close()
  }
  const refused = await fetch(`${served.address}/api/comments?product=42&cursor=made-up`)
  expect([refused.status, await refused.json()]).toEqual([400, { message: expect.stringContaining('the cursor') }])
})

test('Next.js builds the page with numbers, and serves it', async () => {
  const { pasted } = pastedPage('guides/nextjs.md')
  const serves = await follow('guides/nextjs.md')
  await using served = await pasted.serve(serves)
  const open = async (query: string) => {
    const response = await fetch(`${served.address}/products/42${query}`)
    const text = (await response.text()).replace(/<script[\s\S]*?<\/script>|<!-- -->/g, '')
    return { status: response.status, items: [...text.matchAll(/<li>(.*?)<\/li>/g)].map(([, item]) => item), text }
  }
  const third = await open('?page=3')
  expect(third.items).toEqual(['1: Comment 40', '5: Comment 39', '4: Comment 38', '3: Comment 37', '2: Comment 36'])
  expect(third.text).toContain('<h1>50 comments</h1>')
  expect(third.text).toContain('Rated 5 (10)')
  expect(third.text).toMatch(/href="\?page=2">Previous<.*Page 3 of 10.*href="\?page=4">Next</)
  const filtered = await open('?page=2&rating=5')
  expect(filtered.items).toEqual([24, 19, 14, 9, 4].map((i) => `5: Comment ${i}`))
  expect(filtered.text).toMatch(/href="\?rating=5&amp;page=1">Previous<.*Page 2 of 2/)
  expect((await open('?page=x')).status).toBe(404)
})

test('the functions of Lambda are called from their bundle', async () => {
  const { pasted } = pastedPage('guides/lambda.md')
  expect(existsSync(join(pasted.folder, 'dist/counts.mjs'))).toBe(true)
  const program = `const [list, counts] = await Promise.all(['list', 'counts'].map((name) => import('./dist/' + name + '.mjs')))
    console.log((await list.handler({ requestContext: {} })).statusCode, JSON.stringify(await counts.handler({ Records: [] })))`
  await writeFile(join(pasted.folder, 'bundle.mjs'), program)
  const printed = await pasted.run('node bundle.mjs', { AWS_REGION: 'us-east-1' })
  expect(printed.trim()).toBe('401 {"batchItemFailures":[],"state":{}}')
})

/** A context as AppSync gives it to a direct Lambda resolver, after its documents. */
const CONTEXT = {
  arguments: { status: ['OPEN'] },
  identity: {
    claims: { sub: 'ann', token_use: 'access' },
    defaultAuthStrategy: 'ALLOW',
    groups: null,
    issuer: 'https://cognito-idp.us-east-1.amazonaws.com/us-east-1_example',
    sourceIp: ['192.0.2.1'],
    sub: 'ann',
    username: 'ann',
  },
  source: null,
  request: { headers: { host: 'example.appsync-api.us-east-1.amazonaws.com' }, domainName: null },
  prev: null,
  info: {
    selectionSetList: ['items', 'items/id', 'items/status', 'total'],
    selectionSetGraphQL: '{\n  items {\n    id\n    status\n  }\n  total\n}',
    fieldName: 'orders',
    parentTypeName: 'Query',
    variables: {},
  },
  stash: {},
}

test('the resolver of AppSync takes a context as AppSync sends it', async () => {
  const { pasted } = pastedPage('guides/appsync.md')
  const program = `import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
    import { createLapidary } from 'lapidary'
    import { openEngine } from 'lapidary-engine'
    import { database } from './orders.mts'
    import { createResolver } from './resolver.mts'
    const engine = await openEngine()
    const client = new DynamoDBClient(engine.clientConfig)
    const lapidary = createLapidary({ client, ...database, stream: { immediate: true } })
    await lapidary.table.create()
    for (const [id, status] of [['o1', 'OPEN'], ['o2', 'SENT']] as const) await lapidary.orders.create({ id, customer: 'ann', status })
    await lapidary.stream.catchUp()
    const answer = (await createResolver(client)(${JSON.stringify(CONTEXT)})) as { items: { id: string }[]; total: number }
    console.log(answer.items.map(({ id }) => id).join(), answer.total)
    client.destroy()
    await engine.close()`
  await writeFile(join(pasted.folder, 'recorded.mts'), program)
  expect((await pasted.run('npx tsx recorded.mts', { AWS_REGION: 'us-east-1' })).trim()).toBe('o1 1')
})
