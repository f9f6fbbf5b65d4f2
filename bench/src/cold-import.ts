import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import type { BenchContext } from './bench.ts'
import { median, rounded } from './measure.ts'
import type { Report } from './report.ts'

const TURNS = 51
const QUICK_TURNS = 3
const LIMIT = 1.1

const CLIENT = `import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
const credentials = { accessKeyId: 'none', secretAccessKey: 'none' }
const dynamodb = new DynamoDBClient({ region: 'us-east-1', credentials })`

const listing = (create: string, from: string): string => `${CLIENT}
import { anyOf, ${create}, defineCollection, oneOf } from '${from}'
const comments = defineCollection({
  name: 'COMMENT',
  schema: { '~standard': { version: 1, vendor: 'bench', validate: (value) => ({ value }) } },
  id: 'id',
  scope: { name: 'PRODUCT', attribute: 'productId' },
  order: 'createdAt',
  facets: { language: oneOf(), rating: anyOf([1, 2, 3, 4, 5]) },
})
const cursorSecret = 'at least sixteen characters'
const lapidary = ${create}({ client: dynamodb, tableName: 'comments', collections: { comments }, cursorSecret })
export const handler = () => lapidary.comments.list({ scope: '42', where: { rating: [4, 5] } })`

/**
 * The code above the handler of a Lambda function that lists. The reader gives plain objects, as the SDK's document client does; its plain
 * client gives attribute values.
 */
const PROGRAMS = {
  sdk: `${CLIENT}
import { DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb'
const client = DynamoDBDocumentClient.from(dynamodb)
export const handler = () => client.send(new QueryCommand({ TableName: 'comments' }))`,
  plain: `${CLIENT}
import { QueryCommand } from '@aws-sdk/client-dynamodb'
export const handler = () => dynamodb.send(new QueryCommand({ TableName: 'comments' }))`,
  reader: listing('createReader', 'lapidary/reader'),
  library: listing('createLapidary', 'lapidary'),
} as const
type Program = keyof typeof PROGRAMS
const NAMES: readonly Program[] = ['sdk', 'plain', 'reader', 'library']
const TITLES: Readonly<Record<Program, string>> = {
  sdk: 'SDK, document client',
  plain: 'SDK, plain client',
  reader: '`lapidary/reader`',
  library: '`lapidary`',
}

/** The cost of the import of a program in one fresh process. */
interface Import {
  /** Milliseconds of the import. */
  readonly wall: number
  /** The same of the processor, of all threads. */
  readonly processor: number
}

/**
 * Imports of a function that lists, with the SDK alone and with the library, each in a fresh process and by turns; as npm installs the
 * packages, and as esbuild bundles them.
 */
export async function coldImport({ quick }: BenchContext): Promise<Report> {
  // Below the repository, so that the packages are found.
  const cache = fileURLToPath(new URL('../../.cache', import.meta.url))
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'cold-import-'))
  try {
    publish(folder)
    const ways = [
      { name: 'as npm installs it', paths: written(folder) },
      { name: 'one file by esbuild', paths: await bundled(folder, false) },
      { name: 'several files by esbuild', paths: await bundled(folder, true) },
    ]
    const turns = quick ? QUICK_TURNS : TURNS
    const results = ways.map(({ name, paths }) => ({ name, ...compared(paths, turns) }))
    return {
      tables: [
        {
          title: `Import of a function that lists, in a fresh process, medians of ${turns} turns; ratios are of the processor’s time`,
          columns: ['packages', 'with', 'wall', 'processor', 'to document client', 'to plain client'],
          rows: results.flatMap((result) =>
            NAMES.map((program) => {
              const { wall, processor } = result[program]
              const ratios = [processor / result.sdk.processor, processor / result.plain.processor]
              return [
                ...[result.name, TITLES[program], `${rounded(wall, 1)} ms`, `${rounded(processor, 1)} ms`],
                ...ratios.map((ratio) => rounded(ratio, 2)),
              ]
            }),
          ),
        },
      ],
      targets: results.map(({ name, sdk, reader }) => ({
        name: `${name}, reader over SDK`,
        value: reader.processor / sdk.processor,
        limit: LIMIT,
        kind: 'at most',
      })),
      figures: results,
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Puts the library where the programs find it, in the files that are published. */
function publish(folder: string): void {
  const own = join(folder, 'node_modules/lapidary')
  for (const part of ['package.json', 'dist', 'scripts']) {
    cpSync(fileURLToPath(new URL(`../../packages/lapidary/${part}`, import.meta.url)), join(own, part), {
      recursive: true,
    })
  }
  const { status, stderr } = spawnSync(process.execPath, [join(own, 'scripts/few-files.mjs')], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`lapidary was not put into few files: ${stderr}`)
}

type Paths = Readonly<Record<Program, string>>

function each<T>(of: (program: Program) => T): Readonly<Record<Program, T>> {
  return { sdk: of('sdk'), plain: of('plain'), reader: of('reader'), library: of('library') }
}

function written(folder: string): Paths {
  const write = (program: Program): string => {
    const path = join(folder, `${program}.mjs`)
    writeFileSync(path, PROGRAMS[program])
    return path
  }
  return each(write)
}

/** @param splitting Whether what is loaded late is in files of its own. */
async function bundled(folder: string, splitting: boolean): Promise<Paths> {
  const outdir = (program: string): string => join(folder, splitting ? 'split' : 'bundled', program)
  for (const [program, path] of Object.entries(written(folder))) {
    await build({
      entryPoints: [path],
      ...{
        outdir: outdir(program),
        outExtension: { '.js': '.mjs' },
        splitting,
        bundle: true,
        minify: true,
        platform: 'node',
        format: 'esm',
      },
      ...{ target: 'node20', mainFields: ['module', 'main'], logLevel: 'warning' },
      // Packages in CommonJS ask for Node's own modules by `require`.
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    })
  }
  return each((program) => join(outdir(program), `${program}.mjs`))
}

/** Whatever else the machine does weighs on both. */
function compared(paths: Paths, turns: number): Readonly<Record<Program, Import>> {
  const taken = each((): Import[] => [])
  for (let turn = -1; turn < turns; turn++) {
    for (const program of turn % 2 === 0 ? NAMES : NAMES.toReversed()) {
      const { wall, processor } = importOf(paths[program])
      // The first turn reads the files from the disk.
      if (turn >= 0) taken[program].push({ wall, processor })
    }
  }
  return each((program) => ({
    wall: median(taken[program].map(({ wall }) => wall)),
    processor: median(taken[program].map(({ processor }) => processor)),
  }))
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
