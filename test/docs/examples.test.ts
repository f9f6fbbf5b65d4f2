import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { format, promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { PACKAGES } from '../architecture/packages.ts'
import { isTest, ROOT, sources } from '../architecture/sources.ts'
import { enterExampleWorld } from './example-world.ts'
import { exampleModule, FRONT_PAGE, findExamples, NAMES_PAGE, PAGES, uses } from './examples.ts'
import { exportsOfEntry, INDEXES, withExportLists } from './exports.ts'

const run = promisify(execFile)
const ENTRIES = Object.keys(INDEXES)

describe('the examples', () => {
  const examples = findExamples()
  let folder: string

  beforeAll(async () => {
    // The folder is under node_modules, so that examples find what a reader would have installed.
    const cache = join(ROOT, 'node_modules/.cache')
    await mkdir(cache, { recursive: true })
    folder = await mkdtemp(join(cache, 'examples-'))
    // The CDK's construct has packages of its own, and is built with them.
    const construct = join(ROOT, 'packages/cdk')
    await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-b', construct])
    await mkdir(join(folder, 'node_modules'))
    await symlink(construct, join(folder, 'node_modules/lapidary-cdk'))
    for (const name of ['aws-cdk-lib', 'constructs'])
      await symlink(join(construct, 'node_modules', name), join(folder, 'node_modules', name))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  test('compile', async () => {
    expect(examples.length).toBeGreaterThan(60)
    const entries = new Map<string, readonly string[]>()
    for (const entry of ENTRIES) entries.set(entry, await exportsOf(join(ROOT, INDEXES[entry] ?? '')))
    entries.set('vitest', ['describe', 'it', 'test', 'expect'])
    entries.set('@aws-sdk/client-dynamodb', ['DynamoDBClient'])
    await writeFile(join(folder, 'prelude.d.ts'), await readFile(new URL('prelude.d.ts.txt', import.meta.url)))
    const names = new Map<string, string>()
    for (const [i, example] of examples.entries()) {
      const own = example.module === undefined ? [] : await exportsOf(example.module)
      names.set(`example-${i}.ts`, example.where)
      await writeFile(join(folder, `example-${i}.ts`), exampleModule(example, entries, own))
    }
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    const compilerOptions = {
      noEmit: true,
      rewriteRelativeImportExtensions: false,
      noUnusedLocals: false,
      noUnusedParameters: false,
    }
    const filesOf = (whole: boolean): string[] =>
      examples.flatMap(({ isWhole }, i) => (isWhole === whole ? [`example-${i}.ts`] : []))
    // An example that stands by itself compiles without the names that the others share.
    for (const files of [['prelude.d.ts', ...filesOf(false)], filesOf(true)]) {
      const project = join(folder, 'tsconfig.json')
      await writeFile(project, JSON.stringify({ extends: join(ROOT, 'tsconfig.base.json'), compilerOptions, files }))
      const output = await compile(project)
      expect(output.replace(/\S*?(example-\d+\.ts)/g, (_, name: string) => `${names.get(name)} as ${name}`)).toBe('')
    }

    // Examples that run; their types are checked above.
    await writeFile(
      join(folder, 'tsconfig.run.json'),
      JSON.stringify({
        compilerOptions: { target: 'es2023', module: 'nodenext', noCheck: true, rootDir: '.', outDir: 'built' },
        files: examples.flatMap(({ runs }, i) => (runs ? [`example-${i}.ts`] : [])),
      }),
    )
    expect(await compile(join(folder, 'tsconfig.run.json'))).toBe('')
  })

  test('tell the reader where the names come from that they do not declare', async () => {
    const names = await sharedNames()
    const undeclared = examples.filter(
      ({ where, code, isWhole }) => where.startsWith('docs/') && !isWhole && names.some((name) => uses(code, name)),
    )
    const pages = [...new Set(undeclared.map(({ where }) => where.replace(/:\d+$/, '')))]
    const silent = sources(pages, /\.md$/).filter(({ text }) => !/\]\([./]*examples\.md\)/.test(text))
    expect(silent.map(({ path }) => `${path} does not link to ${NAMES_PAGE}`)).toEqual([])
    const declared = (await readFile(join(ROOT, NAMES_PAGE), 'utf8')).match(/`\w+`|\bconst \w+/g) ?? []
    const told = new Set(declared.map((text) => text.replace(/^const |`/g, '')))
    expect(names.filter((name) => !told.has(name)).map((name) => `${NAMES_PAGE} does not say what ${name} is`)).toEqual(
      [],
    )
  })

  const runnable = examples.flatMap(({ where, code, runs }, i) =>
    runs ? [[where, i, saidToPrint(code)] as const] : [],
  )
  test.each(runnable)('%s runs, and prints what it says', async (_, i, said) => {
    const log = vi.spyOn(console, 'log').mockReturnValue()
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    try {
      await using _world = await enterExampleWorld()
      const { example } = (await import(join(folder, 'built', `example-${i}.js`))) as { example?: () => unknown }
      await example?.()
      if (examples[i]?.isWhole === true && said.length > 0)
        expect(log.mock.calls.map((parts) => format(...parts))).toEqual(said)
    } finally {
      log.mockRestore()
      write.mockRestore()
    }
  })
})

describe('what is exported', () => {
  const all = Object.entries(INDEXES).flatMap(([entry, index]) =>
    exportsOfEntry(index).map((exported) => ({ ...exported, entry })),
  )

  test('is all that the entries have', async () => {
    for (const entry of Object.keys(INDEXES)) {
      const values = all.filter((exported) => exported.entry === entry && exported.kind === 'value')
      const real = await exportsOf(join(ROOT, INDEXES[entry] ?? ''))
      expect(values.map(({ name }) => name)).toEqual(real.toSorted())
    }
  })

  test('says what it is', () => {
    expect(all.filter(({ sentence }) => sentence === '').map(({ path, name }) => `${path}: ${name}`)).toEqual([])
  })

  test('has an example, if it is a value', () => {
    const without = all.filter(({ kind, hasExample }) => kind === 'value' && !hasExample)
    expect(without.map(({ path, name }) => `${path}: ${name}`)).toEqual([])
  })

  test.each(PACKAGES)('is listed in the README of packages/%s', async (name) => {
    const file = join(ROOT, 'packages', name, 'README.md')
    const text = await readFile(file, 'utf8')
    const listed = withExportLists(text)
    // UPDATE_EXPORTS=1 writes the lists anew.
    if (process.env.UPDATE_EXPORTS === '1') await writeFile(file, listed)
    else expect(text).toBe(listed)
    const entries = Object.keys(INDEXES).filter((entry) => INDEXES[entry]?.startsWith(`packages/${name}/`))
    for (const entry of entries) expect(text).toContain(`<!-- exports:${entry} -->`)
  })
})

describe('the pages', () => {
  test('link to files that are there', () => {
    const pages = sources([...PAGES, FRONT_PAGE, 'docs'], /\.md$/)
    const broken = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)(?:#[^)]*)?\)/g)]
        .map((match) => normalize(join(dirname(path), match[1] ?? '')))
        .filter((link) => link.startsWith('..') || !existsSync(join(ROOT, link)))
        .map((link) => `${path} links to ${link}`),
    )
    expect(broken).toEqual([])
  })

  test('show the house as it is', async () => {
    const readme = await readFile(join(ROOT, 'README.md'), 'utf8')
    const map = /## The house\n\n```\n([\s\S]*?)```/.exec(readme)?.[1] ?? ''
    const drawn = [...map.matchAll(/^ {0,2}([a-z/]+) /gm)].map((match) => match[1] ?? '')
    const paths = sources(['packages', 'apps', 'bench', 'examples', 'site', 'scripts', 'test'])
    const folders = paths.flatMap(({ path }) => {
      const [first = '', second = '', third = '', room = '', file] = path.split('/')
      if (first !== 'packages' && first !== 'apps') return [first]
      const library = second === 'lapidary' && third === 'src' && file !== undefined
      return [`${first}/${second}`, ...(library ? [`src/${room}`] : [])]
    })
    const house = new Set(['docs', ...folders])
    expect(drawn.toSorted()).toEqual([...house].toSorted())
  })

  test('name the actor', () => {
    const packages = PACKAGES.map((name) => `packages/${name}/src`)
    const texts = [...sources([...PAGES, 'docs'], /\.md$/), ...sources(packages).filter((source) => !isTest(source))]
    const unnamed = texts.flatMap(({ path, text }) =>
      [...text.matchAll(/\b(nobody|somebody|anybody|everybody|whoever)\b/gi)].map(([word]) => `${path}: ${word}`),
    )
    expect(unnamed).toEqual([])
  })

  test('every error code has its heading', async () => {
    const texts = ['packages/lapidary/src/model/errors.ts', 'packages/engine/src/engine-error.ts'].map((file) =>
      readFile(join(ROOT, file), 'utf8'),
    )
    const declared = (await Promise.all(texts)).flatMap((text) => /ErrorCode =([^/]*)/.exec(text)?.[1] ?? [])
    const codes = declared.flatMap((union) => [...union.matchAll(/'([a-z_]+)'/g)].map(([, code]) => code))
    expect(codes).toContain('engine_unavailable')
    expect(codes.length).toBeGreaterThan(10)
    const page = await readFile(join(ROOT, 'docs/errors.md'), 'utf8')
    expect(codes.filter((code) => !new RegExp(`^#+ .*\\b${code}\\b`, 'm').test(page))).toEqual([])
  })
})

/** Returns the output that an example promises in its own comments: `console.log(2) // 2`. */
function saidToPrint(code: string): readonly string[] {
  return [...code.matchAll(/^ *console\.log\(.*\) \/\/ (.*)$/gm)].map(([, printed = '']) => printed)
}

/** Returns the names that examples may use without declaring them. */
async function sharedNames(): Promise<readonly string[]> {
  const prelude = await readFile(new URL('prelude.d.ts.txt', import.meta.url), 'utf8')
  return [...prelude.matchAll(/^ {2}const (\w+):/gm)].flatMap(([, name]) => name ?? [])
}

/** Returns the names of the values that a built module exports. */
async function exportsOf(path: string): Promise<readonly string[]> {
  const built = path.replace('/src/', '/dist/').replace(/\.ts$/, '.js')
  return Object.keys((await import(built)) as object)
}

/** Returns the compiler's messages; empty when all is well. */
async function compile(project: string): Promise<string> {
  try {
    await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', project, '--pretty', 'false'])
    return ''
  } catch (error) {
    return String((error as { stdout?: unknown }).stdout ?? error)
  }
}
