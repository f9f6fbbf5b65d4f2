import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import type { BenchContext } from './bench.ts'
import { median, rounded } from './measure.ts'
import type { Report } from './report.ts'

const TURNS = 21
const QUICK_TURNS = 3
const LIMIT = 1.1

const CLIENT = `import { DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb'
const credentials = { accessKeyId: 'none', secretAccessKey: 'none' }
const client = new DynamoDBClient({ region: 'us-east-1', credentials })`

/** What a function on Lambda that lists has above its handler: the SDK's client alone, or the library too. */
const PROGRAMS = {
  sdk: `${CLIENT}
export const handler = () => client.send(new QueryCommand({ TableName: 'comments' }))`,
  library: `${CLIENT.replace(', QueryCommand', '')}
import { anyOf, createLapidary, defineCollection, oneOf } from 'lapidary'
const comments = defineCollection({
  name: 'COMMENT',
  schema: { '~standard': { version: 1, vendor: 'bench', validate: (value) => ({ value }) } },
  id: 'id',
  scope: { name: 'PRODUCT', attribute: 'productId' },
  order: 'createdAt',
  facets: { language: oneOf(), rating: anyOf([1, 2, 3, 4, 5]) },
})
const cursorSecret = 'at least sixteen characters'
const lapidary = createLapidary({ client, tableName: 'comments', collections: { comments }, cursorSecret })
export const handler = () => lapidary.comments.list({ scope: '42', where: { rating: [4, 5] } })`,
} as const
type Program = keyof typeof PROGRAMS

/** What one fresh process took to import a program. */
interface Import {
  /** Milliseconds of the import. */
  readonly wall: number
  /** The same of the processor, of all threads. */
  readonly processor: number
}

/**
 * Imports of a function that lists, with the SDK's client alone and with the library, each in a fresh process and by turns; as npm
 * installs the packages, and in one file that esbuild made.
 */
export async function coldImport({ quick }: BenchContext): Promise<Report> {
  // Below the repository, so that the packages are found.
  const cache = fileURLToPath(new URL('../../.cache', import.meta.url))
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'cold-import-'))
  try {
    const ways = [
      { name: 'as npm installs it', paths: written(folder) },
      { name: 'one file by esbuild', paths: await bundled(folder) },
    ]
    const turns = quick ? QUICK_TURNS : TURNS
    const results = ways.map(({ name, paths }) => ({ name, ...compared(paths, turns) }))
    return {
      tables: [
        {
          title: `Import of a function that lists, in a fresh process, medians of ${turns} turns`,
          columns: [
            'packages',
            'SDK alone',
            'with the library',
            'ratio',
            'processor: SDK',
            'with the library',
            'ratio',
          ],
          rows: results.map(({ name, sdk, library }) => [
            ...[name, `${rounded(sdk.wall, 1)} ms`, `${rounded(library.wall, 1)} ms`],
            rounded(library.wall / sdk.wall, 2),
            ...[`${rounded(sdk.processor, 1)} ms`, `${rounded(library.processor, 1)} ms`],
            rounded(library.processor / sdk.processor, 2),
          ]),
        },
      ],
      targets: results.map(({ name, sdk, library }) => ({
        name: `${name}, library over SDK`,
        value: library.wall / sdk.wall,
        limit: LIMIT,
        kind: 'at most',
      })),
      figures: results,
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

type Paths = Readonly<Record<Program, string>>

function written(folder: string): Paths {
  const write = (program: Program): string => {
    const path = join(folder, `${program}.mjs`)
    writeFileSync(path, PROGRAMS[program])
    return path
  }
  return { sdk: write('sdk'), library: write('library') }
}

async function bundled(folder: string): Promise<Paths> {
  const outdir = join(folder, 'bundled')
  await build({
    entryPoints: Object.values(written(folder)),
    ...{ outdir, outExtension: { '.js': '.mjs' }, bundle: true, minify: true, platform: 'node', format: 'esm' },
    ...{ target: 'node20', mainFields: ['module', 'main'], logLevel: 'warning' },
    // What is still CommonJS asks for Node's own modules so.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  })
  return { sdk: join(outdir, 'sdk.mjs'), library: join(outdir, 'library.mjs') }
}

/** Whatever else the machine does weighs on both. */
function compared(paths: Paths, turns: number): Readonly<Record<Program, Import>> {
  const taken: Record<Program, Import[]> = { sdk: [], library: [] }
  for (let turn = -1; turn < turns; turn++) {
    const order = turn % 2 === 0 ? (['sdk', 'library'] as const) : (['library', 'sdk'] as const)
    for (const program of order) {
      const { wall, processor } = importOf(paths[program])
      // The first turn reads the files from the disk.
      if (turn >= 0) taken[program].push({ wall, processor })
    }
  }
  const medians = (imports: readonly Import[]): Import => ({
    wall: median(imports.map(({ wall }) => wall)),
    processor: median(imports.map(({ processor }) => processor)),
  })
  return { sdk: medians(taken.sdk), library: medians(taken.library) }
}

function importOf(path: string): Import {
  const program = `const before = process.cpuUsage()
const startedAt = performance.now()
await import(${JSON.stringify(pathToFileURL(path).href)})
const wall = performance.now() - startedAt
const { user, system } = process.cpuUsage(before)
console.log(JSON.stringify({ wall, processor: (user + system) / 1000 }))`
  const env = { ...process.env, NODE_NO_WARNINGS: '1', AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' }
  const options = ['--input-type=module', '--eval', program]
  const { status, stdout, stderr } = spawnSync(process.execPath, options, { encoding: 'utf8', env })
  if (status !== 0) throw new Error(`${path} could not be imported: ${stderr}`)
  return JSON.parse(stdout) as Import
}
