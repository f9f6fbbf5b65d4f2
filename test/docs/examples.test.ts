import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { ROOT, sources } from '../architecture/sources.ts'
import { exampleModule, findExamples } from './examples.ts'

const run = promisify(execFile)
const ENTRIES = ['lapidary', 'lapidary-engine', 'lapidary/testing'] as const

test('the examples compile', async () => {
  const examples = findExamples()
  expect(examples.length).toBeGreaterThan(10)
  const entries = new Map<string, readonly string[]>()
  for (const entry of ENTRIES) entries.set(entry, await exportsOf(fileURLToPath(import.meta.resolve(entry))))
  entries.set('vitest', ['describe', 'it', 'test', 'expect'])
  entries.set('@aws-sdk/client-dynamodb', ['DynamoDBClient'])

  // Under node_modules, so that examples find what a reader would have installed.
  const cache = join(ROOT, 'node_modules/.cache')
  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(join(cache, 'examples-'))
  try {
    await writeFile(join(folder, 'prelude.d.ts'), await readFile(new URL('prelude.d.ts.txt', import.meta.url)))
    const names = new Map<string, string>()
    for (const [i, example] of examples.entries()) {
      const own = example.module === undefined ? [] : await exportsOf(example.module)
      names.set(`example-${i}.ts`, example.where)
      await writeFile(join(folder, `example-${i}.ts`), exampleModule(example, entries, own))
    }
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        extends: join(ROOT, 'tsconfig.base.json'),
        compilerOptions: {
          noEmit: true,
          rewriteRelativeImportExtensions: false,
          noUnusedLocals: false,
          noUnusedParameters: false,
        },
        files: ['prelude.d.ts', ...names.keys()],
      }),
    )
    const output = await compile(folder)
    expect(output.replace(/\S*?(example-\d+\.ts)/g, (_, name: string) => `${names.get(name)} as ${name}`)).toBe('')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

describe('the pages', () => {
  test('link to files that are there', () => {
    const pages = sources(['README.md', 'docs'], /\.md$/)
    const broken = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)(?:#[^)]*)?\)/g)]
        .map((match) => normalize(join(dirname(path), match[1] ?? '')))
        .filter((link) => link.startsWith('..') || !existsSync(join(ROOT, link)))
        .map((link) => `${path} links to ${link}`),
    )
    expect(broken).toEqual([])
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

/** Names of the values that a built module exports. */
async function exportsOf(path: string): Promise<readonly string[]> {
  const built = path.replace('/src/', '/dist/').replace(/\.ts$/, '.js')
  return Object.keys((await import(built)) as object)
}

/** What the compiler has to say; nothing when all is well. */
async function compile(folder: string): Promise<string> {
  try {
    await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder, '--pretty', 'false'])
    return ''
  } catch (error) {
    return String((error as { stdout?: unknown }).stdout ?? error)
  }
}
