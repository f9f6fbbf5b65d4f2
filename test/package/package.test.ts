import { existsSync } from 'node:fs'
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { createLapidary } from 'lapidary'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { PACKAGES } from '../architecture/packages.ts'
import { ROOT } from '../architecture/sources.ts'
import { WHOLE } from '../engines/draws.ts'
import { createSdkClient, dropTables, uniqueTableName } from '../engines/index.ts'
import { comments } from './comments.ts'
import {
  compile,
  type Installation,
  install,
  installMore,
  npm,
  type PackedPackage,
  packAll,
  runNode,
} from './packages.ts'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>
  readonly bin?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}

const HERE = new URL('./', import.meta.url).pathname
const manifests = new Map<string, Manifest>()
let packed: ReadonlyMap<string, PackedPackage>
const folders: string[] = []

beforeAll(async () => {
  for (const name of PACKAGES) {
    const manifest = JSON.parse(await readFile(join(ROOT, 'packages', name, 'package.json'), 'utf8')) as Manifest
    manifests.set(manifest.name, manifest)
  }
  packed = await packAll()
  folders.push(dirname(packed.get('lapidary')?.tarball ?? ''))
})

afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
})

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'lapidary-test-'))
  folders.push(folder)
  return folder
}

/** Returns the folder where the library was built: it has the packages that the library may need. */
function built(): string {
  return join(dirname(packed.get('lapidary')?.tarball ?? ''), 'packages/lapidary')
}

async function versionOf(name: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(ROOT, 'node_modules', name, 'package.json'), 'utf8')) as Manifest
  return `${name}@${version}`
}

describe.each(PACKAGES.map((folder) => (folder === 'lapidary' ? folder : `lapidary-${folder}`)))(
  '%s as it is published',
  (name) => {
    test('holds what runs, its types, its readme and its licence, and nothing else', async () => {
      const { files } = packed.get(name) as PackedPackage
      const { exports, bin = {} } = manifests.get(name) as Manifest
      const entries = Object.values(exports).flatMap((entry) =>
        typeof entry === 'string' ? entry : Object.values(entry),
      )
      for (const file of [...entries, ...Object.values(bin)]) expect(files).toContain(file.replace('./', ''))
      for (const file of ['LICENSE', 'README.md', 'package.json']) expect(files).toContain(file)

      const expected =
        /^(LICENSE|README\.md|package\.json|bin\/[\w-]+\.js|assets\/[\w-]+\.(css|js|json|svg|yml)|dist\/[\w/-]+\.(js|d\.ts))$/
      expect(files.filter((file) => !expected.test(file))).toEqual([])
      const built = files.filter((file) => /^dist\/(?!chunks\/)/.test(file))
      const sources = built.map((file) => file.replace('dist/', 'src/').replace(/(\.d)?\.[jt]s$/, '.ts'))
      const own = join(ROOT, 'packages', name.replace('lapidary-', ''))
      expect(sources.filter((file) => !['', 'x'].some((end) => existsSync(join(own, file + end))))).toEqual([])
      const folder = join(
        dirname((packed.get(name) as PackedPackage).tarball),
        'packages',
        name.replace('lapidary-', ''),
      )
      const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
      expect(texts.filter((text) => text.includes('//# sourceMappingURL='))).toEqual([])
    })

    test('has the licence of the repository', async () => {
      const licences = [ROOT, join(ROOT, 'packages', name.replace('lapidary-', ''))].map((folder) =>
        readFile(join(folder, 'LICENSE'), 'utf8'),
      )
      const [whole, own] = await Promise.all(licences)
      expect(own).toBe(whole)
    })

    test('is clean by publint', async () => {
      const tarball = await readFile(packed.get(name)?.tarball ?? '')
      const { messages, pkg } = await publint({ level: 'suggestion', pack: { tarball: bufferOf(tarball) } })
      expect(pkg.name).toBe(name)
      expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([])
    })

    test('has types that every modern resolution finds', async () => {
      const tarball = await readFile(packed.get(name)?.tarball ?? '')
      const checked = await checkPackage(createPackageFromTarballData(tarball))
      if (checked.types === false) throw new Error('no types')
      // ES modules only: CommonJS loads them by a dynamic import, or a `require` of Node 20.19.
      const problems = checked.problems.filter(
        (problem) =>
          problem.kind !== 'CJSResolvesToESM' &&
          !('resolutionKind' in problem && problem.resolutionKind === 'node16-cjs'),
      )
      expect(problems).toEqual([])
    })
  },
)

function bufferOf(bytes: Buffer): ArrayBuffer {
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer
}

const { devDependencies } = JSON.parse(await readFile(join(ROOT, 'packages/lapidary/package.json'), 'utf8')) as Manifest
const NEWEST = devDependencies['@aws-sdk/client-dynamodb'] ?? ''
const NEWEST_STREAMS = devDependencies['@aws-sdk/client-dynamodb-streams'] ?? ''
const LOWEST = '3.425.0'

/** The first version of the SDK whose client takes the settings of its connections as `clientConfig` makes them. */
const LOWEST_OF_ENGINE = '3.540.0'

test('the lowest SDK that is tested is the lowest that is allowed', () => {
  const allowed = [...manifests.values()].map(({ name, peerDependencies = {} }) => {
    const ranges = Object.entries(peerDependencies).filter(([peer]) => /^@aws-sdk\/client-dynamodb/.test(peer))
    return [name, [...new Set(ranges.map(([, range]) => range))]]
  })
  expect(Object.fromEntries(allowed)).toEqual({
    lapidary: [`>=${LOWEST} <4`],
    'lapidary-adviser': [],
    'lapidary-cdk': [`>=${LOWEST_OF_ENGINE} <4`],
    'lapidary-engine': [`>=${LOWEST_OF_ENGINE} <4`],
    'lapidary-resp': [`>=${LOWEST} <4`],
    'lapidary-studio': [`>=${LOWEST} <4`],
    'lapidary-telemetry': [],
    'lapidary-cli': [`>=${LOWEST_OF_ENGINE} <4`],
    'lapidary-http': [`>=${LOWEST} <4`],
    'lapidary-pages': [],
    'lapidary-testing': [`>=${LOWEST} <4`],
  })
})

describe.each([
  { sdk: 'the lowest', client: LOWEST, streams: LOWEST },
  { sdk: 'the newest', client: NEWEST, streams: NEWEST_STREAMS },
])('lapidary with $sdk SDK that it supports ($client)', ({ client, streams }) => {
  let installed: Installation

  beforeAll(async () => {
    installed = await install(await emptyFolder(), [
      packed.get('lapidary')?.tarball ?? '',
      packed.get('lapidary-testing')?.tarball ?? '',
      `@aws-sdk/client-dynamodb@${client}`,
      `@aws-sdk/client-dynamodb-streams@${streams}`,
      ...(await Promise.all(['@types/node', 'fast-check', 'zod'].map(versionOf))),
    ])
    for (const file of ['comments.ts', 'program.ts']) await cp(join(HERE, file), join(installed.folder, file))
  }, 300_000)

  test('shares the copy that the application has', () => {
    const copies = installed.copies.filter((copy) => /^@aws-sdk\/client-dynamodb(-streams)?@/.test(copy))
    expect(copies.toSorted()).toEqual([
      `@aws-sdk/client-dynamodb-streams@${streams}`,
      `@aws-sdk/client-dynamodb@${client}`,
    ])
  })

  test('brings neither the engine nor what the command line needs', () => {
    const kept = /^(lapidary-(?!testing)|@dynoxide\/|commander@|jiti@|cli-progress@)/
    expect(installed.copies.filter((copy) => kept.test(copy))).toEqual([])
  })

  test('compiles and runs', async () => {
    expect(await compile(installed.folder, ['program.ts', 'comments.ts'])).toBe('')
    const tableName = uniqueTableName()
    const output = await runNode(installed.folder, ['program.js', inject('embeddedEndpoint'), tableName])
    await dropTables(createSdkClient({ name: 'embedded', endpoint: inject('embeddedEndpoint') }), [tableName])
    expect(JSON.parse(output)).toEqual({
      created: true,
      listed: ['100005', '100003', '100001'],
      expected: ['100005', '100003', '100001'],
      next: null,
      code: 'unprocessable',
      total: 5,
      exported: 5,
      resources: ['Table', 'TableIsThrottled', 'TableFails', 'DeadLetters', 'Gaps'],
    })
  })
})

test('engine and command line work with the lowest SDK that they support, and share the copy', async () => {
  const { folder, copies } = await install(await emptyFolder(), [
    // The construct asks for the CDK, which is no matter of a program.
    ...[...packed.values()].flatMap(({ name, tarball }) => (name === 'lapidary-cdk' ? [] : tarball)),
    ...['client-dynamodb', 'client-dynamodb-streams'].map((name) => `@aws-sdk/${name}@${LOWEST_OF_ENGINE}`),
    await versionOf('zod'),
  ])
  expect(copies.filter((copy) => /^@aws-sdk\/client-dynamodb(-streams)?@/.test(copy))).toHaveLength(2)
  await cp(join(HERE, 'comments.ts'), join(folder, 'comments.ts'))
  await writeFile(
    join(folder, 'lapidary.config.ts'),
    `import { defineConfig } from 'lapidary-cli'
     import { comments } from './comments.ts'
     export default defineConfig({ tableName: 'comments', collections: { comments } })`,
  )
  const line = {
    id: '1',
    productId: '42',
    language: 'en',
    rating: 5,
    text: 'Good.',
    createdAt: '2020-11-09T12:00:00.123Z',
  }
  await writeFile(join(folder, 'comments.jsonl'), JSON.stringify(line))
  const lapidary = (...command: readonly string[]): Promise<string> =>
    runNode(folder, ['node_modules/lapidary-cli/bin/lapidary.js', ...command, '--json'], { JITI_FS_CACHE: 'false' })
  await lapidary('import', 'comments.jsonl')
  expect(JSON.parse(await lapidary('list', '--scope', '42'))).toMatchObject({ items: [{ id: '1' }] })
  expect(JSON.parse(await lapidary('verify', '--allow-behind'))).toMatchObject({ items: 1, behind: true })
})

test('the library takes at most 430 KB', () => {
  expect(packed.get('lapidary')?.bytes).toBeLessThanOrEqual(430_000)
})

test('few files export what the sources do', async () => {
  const entries = Object.values(manifests.get('lapidary')?.exports ?? {}).flatMap((entry) =>
    typeof entry === 'string' ? [] : [entry.default],
  )
  const sources = entries.map((path) =>
    join(ROOT, 'packages/lapidary', path.replace('dist', 'src').replace(/js$/, 'ts')),
  )
  const expected = await Promise.all(sources.map(async (path) => Object.keys((await import(path)) as object).sort()))
  const program = `const modules = await Promise.all(${JSON.stringify(entries)}.map((path) => import(path)))
    console.log(JSON.stringify(modules.map(Object.keys)))`
  expect(JSON.parse(await runNode(built(), ['--input-type=module', '--eval', program]))).toEqual(expected)
})

/** Each test installs what it needs beside what the one before did, as a user's project grows. */
describe('a project that begins with the README', () => {
  let folder: string

  beforeAll(async () => {
    const names = (/^npm install (.*)$/m.exec(await readFile(join(ROOT, 'README.md'), 'utf8'))?.[1] ?? '').split(/\s+/)
    const wanted = await Promise.all(names.map((name) => packed.get(name)?.tarball ?? versionOf(name)))
    folder = (await install(await emptyFolder(), wanted)).folder
  }, 300_000)

  /** Returns the block of a README that begins after a text, in a language. */
  const block = (text: string, after: string, language: string): string =>
    text.slice(text.indexOf(after)).split(`\`\`\`${language}\n`)[1]?.split('```')[0] ?? ''

  test('runs its first ten minutes, pasted', async () => {
    const readme = await readFile(join(ROOT, 'README.md'), 'utf8')
    await writeFile(join(folder, 'first.mjs'), block(readme, '`first.mjs`', 'ts run'))
    expect(await runNode(folder, ['first.mjs'])).toBe(block(readme, '`node first.mjs` prints', ''))
  })

  test('lists without the change stream and its client', async () => {
    const { copies } = await installMore(folder, [await versionOf('@types/node')])
    expect(copies.filter((copy) => copy.startsWith('@aws-sdk/client-dynamodb-streams@'))).toEqual([])
    for (const file of ['comments.ts', 'listing-program.ts']) await cp(join(HERE, file), join(folder, file))
    expect(await compile(folder, ['listing-program.ts', 'comments.ts'])).toBe('')

    const client = createSdkClient({ name: 'embedded', endpoint: inject('embeddedEndpoint') })
    const tableName = uniqueTableName()
    const lapidary = createLapidary({
      client,
      tableName,
      collections: { comments },
      cursorSecret: 'of this test alone',
    })
    await lapidary.table.create()
    const item = {
      id: '1',
      productId: '42',
      language: 'en',
      rating: 5,
      text: '',
      createdAt: '2020-11-09T12:00:00.000Z',
    }
    await lapidary.comments.create(item)

    // The program's coverage names every module that it has loaded.
    const coverage = join(folder, 'coverage')
    const program = await runNode(folder, ['listing-program.js', inject('embeddedEndpoint'), tableName], {
      NODE_V8_COVERAGE: coverage,
    })
    await dropTables(client, [tableName])
    expect(JSON.parse(program)).toEqual({ ids: ['1'] })
    const loaded = (await loadedModules(coverage)).filter((path) => path.startsWith('lapidary/dist/'))
    const core = 'lapidary/dist/chunks/core.js'
    const reading = 'lapidary/dist/chunks/reading.js'
    expect(loaded.toSorted()).toEqual([core, reading, 'lapidary/dist/index.js'])
    const madeOf = await modulesOfFiles()
    expect(madeOf['chunks/reading.js']).toContain('read/list.js')
    const modules = [core, reading].flatMap((path) => madeOf[path.replace('lapidary/dist/', '')] ?? [])
    for (const late of [
      'stream',
      'recount',
      'transfer',
      'operations/create',
      'operations/change',
      'pages/stores/markers/open',
    ]) {
      expect(modules.filter((module) => module.startsWith(late))).toEqual([])
    }
  })

  test('goes on as the README of the library says', async () => {
    const readme = await readFile(join(ROOT, 'packages/lapidary/README.md'), 'utf8')
    await installMore(folder, await Promise.all(['@aws-sdk/client-dynamodb-streams', '@types/node'].map(versionOf)))
    const blocks = [...readme.matchAll(/^```ts run\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code)
    await writeFile(join(folder, 'program.ts'), blocks.join('\n'))
    expect(await compile(folder, ['program.ts'])).toBe('')
    const printed = blocks.flatMap((code) =>
      [...code.matchAll(/^console\.log\(.*\) \/\/ (.*)$/gm)].map(([, line]) => line),
    )
    expect(printed.length).toBeGreaterThan(1)
    expect(await runNode(folder, ['program.js'])).toBe(`${printed.join('\n')}\n`)
  })
})

/** The modules that each file of the library is made of. */
async function modulesOfFiles(): Promise<Readonly<Record<string, readonly string[]>>> {
  return JSON.parse(await readFile(join(built(), '.files.json'), 'utf8')) as Record<string, readonly string[]>
}

test('a reader is one file beside its entry, and leads to nothing else', async () => {
  const dist = join(built(), 'dist')
  const [entry, reading] = await Promise.all(
    ['read/index.js', 'chunks/reading.js'].map((path) => readFile(join(dist, path), 'utf8')),
  )
  // A bundle in one file includes the modules that are loaded late, and wraps what it shares with them.
  const imports = (code = ''): readonly string[] =>
    [...code.matchAll(/(?:^(?:im|ex)port .*?from |\bimport\()['"]([^'"]+)['"]/gm)].map(([, from = '']) => from)
  expect(imports(entry)).toEqual(['../chunks/reading.js'])
  // Only Node's own modules that Node or the SDK load anyway: any other costs a cold start some tenths of a millisecond.
  expect(imports(reading).toSorted()).toEqual(['@aws-sdk/client-dynamodb', 'node:crypto', 'node:util'])
  expect((await modulesOfFiles())['chunks/reading.js']).not.toContain('writes/send-writes.js')
})

// The last one: it builds again what the others look at.
test('each is made ready for npm by its own script, from its own folder, with nothing built before', async () => {
  const packages = join(dirname(packed.get('lapidary')?.tarball ?? ''), 'packages')
  const drawn = PACKAGES[Number(process.env.FC_SEED) % PACKAGES.length] as string
  for (const name of WHOLE ? PACKAGES : new Set(['http', drawn])) {
    for (const other of PACKAGES) await rm(join(packages, other, 'dist'), { recursive: true, force: true })
    await npm(join(packages, name), ['run', 'prepack'])
  }
})

/** Returns the modules of packages that a program with coverage has loaded, from the folder of its packages. */
async function loadedModules(coverage: string): Promise<readonly string[]> {
  const reports = await Promise.all((await readdir(coverage)).map((file) => readFile(join(coverage, file), 'utf8')))
  const urls = reports.flatMap((report) => (JSON.parse(report) as { result: { url: string }[] }).result)
  return urls.flatMap(({ url }) => /\/node_modules\/(.*)$/.exec(url)?.[1] ?? [])
}
