import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { ROOT } from '../architecture/sources.ts'
import { createSdkClient, dropTables, uniqueTableName } from '../engines/index.ts'
import { install, packAll, runNode } from './packages.ts'

/** The versions of tools that older projects still have, which are tested. */
const JEST = '29.7.0'
const TS_JEST = '29.4.15'
const TYPESCRIPT = '5.9.3'

const folders: string[] = []
let folder: string

beforeAll(async () => {
  const packed = await packAll()
  const tarball = packed.get('lapidary')?.tarball ?? ''
  folder = await mkdtemp(join(tmpdir(), 'lapidary-test-'))
  folders.push(dirname(tarball), folder)
  await install(folder, [
    tarball,
    ...['@aws-sdk/client-dynamodb@3.1141.0', '@aws-sdk/client-dynamodb-streams@3.1141.0', '@types/node@20.19.0'],
    ...[`jest@${JEST}`, `ts-jest@${TS_JEST}`, `typescript@${TYPESCRIPT}`],
  ])
}, 300_000)

afterAll(async () => {
  for (const each of folders) await rm(each, { recursive: true, force: true })
})

/** Returns the blocks of a page of the documents, by the file that the page gives each. */
async function documented(page: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(join(ROOT, 'docs', page), 'utf8')
  const blocks = text.matchAll(/^```(?:js|json)\n\/\/ (\S+)\n([\s\S]*?)^```$/gm)
  return new Map([...blocks].map(([, name = '', code = '']) => [name, code]))
}

/** Makes a project in a folder of its own, which finds the packages that are installed above it. */
async function project(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  const own = join(folder, name)
  await mkdir(own, { recursive: true })
  for (const [file, text] of Object.entries(files)) await writeFile(join(own, file), text)
  return own
}

const DECLARED = `
const comments = defineCollection({
  name: 'COMMENT',
  schema: { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } },
  id: 'id',
  scope: { name: 'PRODUCT', attribute: 'productId' },
  order: 'createdAt',
  facets: { rating: anyOf([1, 2, 3, 4, 5]) },
})`

const TESTED = `${DECLARED}

test('lists, counts and verifies', async () => {
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' }
  const client = new DynamoDBClient({ endpoint: process.env.ENDPOINT, region: 'us-east-1', credentials })
  const lapidary = createLapidary({
    ...{ client, tableName: process.env.TABLE, collections: { comments }, cursorSecret: 'a secret of the tests' },
    derived: { counts: true },
    stream: { immediate: true },
  })
  await lapidary.table.create()
  await lapidary.comments.create({ id: '1', productId: '42', rating: 5 })
  expect((await lapidary.comments.list({ scope: '42', where: { rating: [4, 5] } })).items).toHaveLength(1)
  await lapidary.stream.catchUp()
  expect((await lapidary.comments.count({ scope: '42' })).total).toBe(1)
  expect((await lapidary.derived.verify({ idleMs: 20 })).differenceCount).toBe(0)
  client.destroy()
}, 120_000)
`

async function jest(own: string, node: readonly string[] = []): Promise<string> {
  const tableName = uniqueTableName()
  const endpoint = inject('embeddedEndpoint')
  try {
    const { stderr } = await promisify(execFile)(
      process.execPath,
      [...node, join(folder, 'node_modules/jest/bin/jest.js'), '--rootDir', own, '--ci', '--watchman=false'],
      { cwd: own, timeout: 240_000, env: { PATH: process.env.PATH, ENDPOINT: endpoint, TABLE: tableName } },
    )
    return stderr
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string }
    return `${stdout}${stderr}${error}`
  } finally {
    await dropTables(createSdkClient({ name: 'embedded', endpoint }), [tableName]).catch(() => {})
  }
}

test('Jest 29 runs tests as CommonJS, through a transform, as the documents say', async () => {
  const files = await documented('toolchains.md')
  const own = await project('jest-commonjs', {
    'package.json': '{ "type": "commonjs" }',
    'jest.config.js': files.get('jest.config.js') ?? '',
    'async-dispose.js': files.get('async-dispose.js') ?? '',
    'comments.test.js': `
      const { DynamoDBClient } = require('@aws-sdk/client-dynamodb')
      const { anyOf, createLapidary, defineCollection } = require('lapidary')
      ${TESTED}`,
  })
  expect(await jest(own)).toMatch(/^Tests: +1 passed/m)
})

test('Jest 29 runs tests as ES modules, as the documents say', async () => {
  const files = await documented('toolchains.md')
  const own = await project('jest-modules', {
    'package.json': '{ "type": "module" }',
    'jest.config.mjs': files.get('jest.config.mjs') ?? '',
    'async-dispose.js': files.get('async-dispose.js') ?? '',
    'comments.test.js': `
      import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
      import { anyOf, createLapidary, defineCollection } from 'lapidary'
      ${TESTED}`,
  })
  expect(await jest(own, ['--experimental-vm-modules'])).toMatch(/^Tests: +1 passed/m)
})

test('a project with moduleResolution node finds the types of every entry, and runs', async () => {
  const { exports } = JSON.parse(await readFile(join(ROOT, 'packages/lapidary/package.json'), 'utf8')) as {
    exports: Record<string, unknown>
  }
  const entries = Object.keys(exports).filter((entry) => entry !== './package.json')
  const imports = entries.map((entry, i) => `import type * as entry${i} from '${entry.replace('.', 'lapidary')}'`)
  const own = await project('node10', {
    'package.json': '{ "type": "commonjs" }',
    'tsconfig.json': JSON.stringify({
      compilerOptions: {
        ...{ target: 'es2022', lib: ['es2023', 'esnext.disposable'], module: 'commonjs', moduleResolution: 'node10' },
        ...{ strict: true, skipLibCheck: true, types: ['node'], typeRoots: ['../node_modules/@types'] },
      },
      files: ['program.ts'],
    }),
    'program.ts': `
      ${imports.join('\n')}
      import { anyOf, defineCollection, parseQuery } from 'lapidary'
      import { createReader } from 'lapidary/reader'
      interface Comment { id: string; productId: string; rating: 1 | 2 | 3 | 4 | 5; createdAt: string }
      const types = undefined as { input: unknown; output: Comment } | undefined
      ${DECLARED.replace('(value) => ({ value })', '(value: unknown) => ({ value: value as Comment }), types')}
      // @ts-expect-error the types are there: what no facet is called
      export const misspelt = () => parseQuery(comments, { scope: '42', wher: {} })
      console.log(JSON.stringify(parseQuery(comments, { scope: '42', where: { rating: 4 } }).where), typeof createReader)
      export type Entries = [${entries.map((_, i) => `typeof entry${i}`).join(', ')}]`,
  })
  await runNode(own, [join(folder, 'node_modules/typescript/bin/tsc'), '-p', '.', '--pretty', 'false']).catch(
    ({ stdout }: { stdout: string }) => expect(stdout).toBe(''),
  )
  expect(await runNode(own, ['program.js'])).toBe('{"rating":[4]} function\n')
})
