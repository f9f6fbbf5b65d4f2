import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { format, promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { completed, NAMES_PAGE, readKnown, usedIn, wholeProgram } from '../../site/whole-program.ts'
import { PACKAGES } from '../architecture/packages.ts'
import { isTest, ROOT, sources } from '../architecture/sources.ts'
import { type Example, FRONT_PAGE, findExamples, PAGES, programOf } from './examples.ts'
import { exportsOfEntry, INDEXES, withExportLists } from './exports.ts'

const run = promisify(execFile)

/** What the compiler says of an example. */
interface Message {
  readonly example: Example | undefined
  readonly line: number
  readonly code: string
  readonly text: string
}

/** Names that are not there, and what is declared or imported and not used. */
const [NOT_FOUND, UNUSED] = [/^TS(2304|2552|2593|18004)$/, /^TS(6133|6192|6196|6198)$/]

describe('the examples', () => {
  const examples = findExamples()
  const known = readKnown()
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

  const usesDescribed = ({ code, isWhole }: Example): boolean =>
    !isWhole && [...usedIn(code)].some((name) => known.described.has(name))

  /** Writes programs and compiles them; returns what the compiler says of each. */
  async function messagesOf(
    programs: ReadonlyMap<Example, string>,
    { kind = 'example', noUnusedLocals = false, prelude = [] as readonly string[] } = {},
  ): Promise<readonly Message[]> {
    const files = new Map<string, Example>()
    for (const [example, program] of programs) {
      const file = `${kind}-${examples.indexOf(example)}.mts`
      files.set(file, example)
      await writeFile(join(folder, file), `${program}\nexport {}\n`)
    }
    const project = join(folder, 'tsconfig.json')
    const compilerOptions = { noEmit: true, rewriteRelativeImportExtensions: false, noUnusedParameters: false }
    await writeFile(
      project,
      JSON.stringify({
        extends: join(ROOT, 'tsconfig.base.json'),
        compilerOptions: { ...compilerOptions, noUnusedLocals },
        files: [...prelude, ...files.keys()],
      }),
    )
    return (await compile(project)).split(/\n(?=\S)/).flatMap((text) => {
      if (text === '') return []
      const [, file = '', line = '', code = ''] = /([\w-]+\.mts)\((\d+),\d+\): error (TS\d+)/.exec(text) ?? []
      const example = files.get(file)
      return [{ example, line: Number(line), code, text: `${example?.where}: ${text}` }]
    })
  }

  test('compile', async () => {
    expect(examples.length).toBeGreaterThan(60)
    await writeFile(join(folder, 'prelude.d.ts'), await readFile(new URL('prelude.d.ts.txt', import.meta.url)))
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    const programs = new Map<Example, string>()
    for (const example of examples) {
      const own = example.module === undefined ? [] : await exportsOf(example.module)
      programs.set(example, programOf(example, known, own))
    }
    // Only an example that uses a name which no program declares compiles with a declaration of it.
    const described = new Map([...programs].filter(([example]) => usesDescribed(example)))
    const others = new Map([...programs].filter(([example]) => !usesDescribed(example)))
    const messages = [
      ...(await messagesOf(described, { prelude: ['prelude.d.ts'] })),
      ...(await messagesOf(others, { noUnusedLocals: true })),
    ]
    // An example may leave a result unused; what completes it holds nothing that it does not need.
    const wrong = messages.filter(({ code, example, line }) => {
      if (example === undefined || !UNUSED.test(code)) return true
      const [head] = completed(example.code, known)
      return !example.isWhole && head?.isOwn === false && line < head.text.split('\n').length
    })
    expect(wrong.map(({ text }) => text)).toEqual([])

    // Examples that run; their types are checked above.
    await writeFile(
      join(folder, 'tsconfig.run.json'),
      JSON.stringify({
        compilerOptions: { target: 'es2023', module: 'nodenext', noCheck: true, rootDir: '.', outDir: 'built' },
        files: examples.flatMap(({ runs }, i) => (runs ? [`example-${i}.mts`] : [])),
      }),
    )
    expect(await compile(join(folder, 'tsconfig.run.json'))).toBe('')
  })

  test('unfold to whole programs where they are parts of them', async () => {
    const parts = examples.filter(({ where, isWhole }) => where.startsWith('docs/') && !isWhole)
    const alone = await messagesOf(new Map(parts.map((example) => [example, example.code])), { kind: 'alone' })
    const lacking = new Set(alone.flatMap(({ code, example }) => (NOT_FOUND.test(code) ? [example] : [])))
    expect(lacking.size).toBeGreaterThan(40)
    const wrong = parts.filter((example) => {
      const isFolded = wholeProgram(example.code, known) !== undefined
      return isFolded !== (lacking.has(example) && !usesDescribed(example))
    })
    expect(wrong.map(({ where }) => where)).toEqual([])
  })

  test('tell the reader where the names come from that they do not declare', async () => {
    const declared = new Set([...known.statements.flatMap(({ declares }) => [...declares]), ...known.described])
    const undeclared = examples.filter(
      ({ where, code, isWhole }) =>
        where.startsWith('docs/') && !isWhole && [...usedIn(code)].some((name) => declared.has(name)),
    )
    const pages = [...new Set(undeclared.map(({ where }) => where.replace(/:\d+$/, '')))]
    const silent = sources(pages, /\.md$/).filter(({ text }) => !/\]\([./]*examples\.md\)/.test(text))
    expect(silent.map(({ path }) => `${path} does not link to ${NAMES_PAGE}`)).toEqual([])
    const prelude = await readFile(new URL('prelude.d.ts.txt', import.meta.url), 'utf8')
    const typed = [...prelude.matchAll(/^ {2}const (\w+):/gm)].flatMap(([, name]) => name ?? [])
    expect(typed.toSorted(), `${NAMES_PAGE} says what each name is`).toEqual([...known.described].toSorted())
  })

  const runnable = examples.flatMap(({ where, code, runs }, i) =>
    runs ? [[where, i, saidToPrint(code)] as const] : [],
  )
  test.each(runnable)('%s runs, and prints what it says', async (_, i, said) => {
    const log = vi.spyOn(console, 'log').mockReturnValue()
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    try {
      await import(join(folder, 'built', `example-${i}.mjs`))
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
