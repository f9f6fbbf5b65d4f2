import { pathToFileURL } from 'node:url'
import type { BenchContext } from './bench.ts'
import { openProgramFolder, type ProgramFolder, type ProgramTime, timeOfImport } from './bundled-programs.ts'
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

/**
 * Imports of a function that lists, with the SDK alone and with the library, each in a fresh process and by turns; as npm installs the
 * packages, and as esbuild bundles them.
 */
export async function coldImport({ quick }: BenchContext): Promise<Report> {
  using folder = openProgramFolder()
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
}

type Paths = Readonly<Record<Program, string>>

function each<T>(of: (program: Program) => T): Readonly<Record<Program, T>> {
  return { sdk: of('sdk'), plain: of('plain'), reader: of('reader'), library: of('library') }
}

function written(folder: ProgramFolder): Paths {
  return each((program) => folder.write(program, PROGRAMS[program]))
}

async function bundled(folder: ProgramFolder, splitting: boolean): Promise<Paths> {
  const paths = new Map<Program, string>()
  for (const program of NAMES) paths.set(program, await folder.bundle(program, PROGRAMS[program], splitting))
  return each((program) => paths.get(program) ?? '')
}

/** Whatever else the machine does weighs on both. */
function compared(paths: Paths, turns: number): Readonly<Record<Program, ProgramTime>> {
  const taken = each((): ProgramTime[] => [])
  for (let turn = -1; turn < turns; turn++) {
    for (const program of turn % 2 === 0 ? NAMES : NAMES.toReversed()) {
      const { wall, processor } = timeOfImport(pathToFileURL(paths[program]).href)
      // The first turn reads the files from the disk.
      if (turn >= 0) taken[program].push({ wall, processor })
    }
  }
  return each((program) => ({
    wall: median(taken[program].map(({ wall }) => wall)),
    processor: median(taken[program].map(({ processor }) => processor)),
  }))
}
