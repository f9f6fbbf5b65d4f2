import { pathToFileURL } from 'node:url'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { clientConfig } from 'lapidary-engine'
import { startBare } from './bare-dynoxide.ts'
import type { BenchContext } from './bench.ts'
import { openProgramFolder, type ProgramFolder, type ProgramTime, timeOfImport } from './bundled-programs.ts'
import { generateComments, PRODUCT } from './comments.ts'
import { median, rounded, timed } from './measure.ts'
import type { Report } from './report.ts'
import { createCommentsTable, entryOf, storeComments, TABLE_NAME } from './stored-comments.ts'

const COMMENTS = 2_000
const PAGE = 20
const TURNS = 60
const COLD_TURNS = 31
const QUICK_TURNS = 3
const CALLS = 100
const WARM_UP = 1_000

const CLIENT = `import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
const credentials = { accessKeyId: 'none', secretAccessKey: 'none' }
const client = new DynamoDBClient({ region: 'us-east-1', credentials, endpoint: process.env.DYNAMODB_ENDPOINT })`

const DECLARATION = `const comments = defineCollection({
  name: 'COMMENT',
  schema: { '~standard': { version: 1, vendor: 'bench', validate: (value) => ({ value }) } },
  id: 'id',
  scope: { name: 'PRODUCT', attribute: 'productId' },
  order: 'createdAt',
  facets: { language: oneOf(), rating: anyOf([1, 2, 3, 4, 5]) },
  attributes: { id: 'i', productId: 'p', language: 'l', rating: 'r', text: 'x', createdAt: 'c' },
})
const options = { client, tableName: '${TABLE_NAME}', collections: { comments }, cursorSecret: 'at least sixteen characters' }`

const ANSWER = `const answer = (items) =>
  ({ statusCode: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ items }) })`

/** The code of functions that answer one page: \`language=en\`, \`rating=5\`, the newest twenty. */
const PROGRAMS = {
  bare: `${CLIENT}
import { DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb'
const documents = DynamoDBDocumentClient.from(client)
${ANSWER}
export async function handler({ queryStringParameters: { scope, language, rating } }) {
  const { Items } = await documents.send(new QueryCommand({
    TableName: '${TABLE_NAME}',
    IndexName: 'byLanguageAndRating',
    KeyConditionExpression: '#k = :k',
    ExpressionAttributeNames: { '#k': 'k.l.r' },
    ExpressionAttributeValues: { ':k': 'COMMENT/' + scope + '/' + language + '/' + rating },
    ScanIndexForward: false,
    Limit: ${PAGE + 1},
  }))
  return answer(Items.slice(0, ${PAGE}).map(({ i, p, l, r, x, c }) =>
    ({ id: i, productId: p, language: l, rating: r, text: x, createdAt: c })))
}`,
  reader: `${CLIENT}
import { anyOf, createReader, defineCollection, oneOf } from 'lapidary/reader'
${DECLARATION}
const reader = createReader(options)
${ANSWER}
export async function handler({ queryStringParameters: { scope, language, rating } }) {
  const where = { language, rating: [Number(rating)] }
  return answer((await reader.comments.list({ scope, where, limit: ${PAGE} })).items)
}`,
  api: `${CLIENT}
import { anyOf, createLapidary, defineCollection, oneOf } from 'lapidary'
import { lapidaryRoutes } from 'lapidary-http'
import { lambdaHandler } from 'lapidary-http/lambda'
${DECLARATION}
const lapidary = createLapidary(options)
const routes = lapidaryRoutes(lapidary, { authorize: () => ({}), onError: (error) => console.error(error) })
export const handler = lambdaHandler(() => routes)`,
} as const
type Program = keyof typeof PROGRAMS
const NAMES: readonly Program[] = ['bare', 'reader', 'api']
const TITLES: Readonly<Record<Program, string>> = {
  bare: 'one Query by the document client',
  reader: 'a list by `lapidary/reader`',
  api: '`lapidaryRoutes`, `counts=false`',
}

const PARAMETERS = { scope: PRODUCT, language: 'en', rating: '5', counts: 'false' }
/** A request as a function URL sends it. */
const EVENT = {
  version: '2.0',
  rawPath: '/comments',
  rawQueryString: new URLSearchParams(PARAMETERS).toString(),
  queryStringParameters: PARAMETERS,
  headers: { host: 'function.example', accept: 'application/json' },
  requestContext: {
    http: { method: 'GET', path: '/comments', protocol: 'HTTP/1.1', sourceIp: '127.0.0.1' },
    requestId: 'bench',
    domainName: 'function.example',
  },
  isBase64Encoded: false,
}

type Handler = (event: unknown, context?: unknown) => Promise<{ readonly statusCode: number; readonly body: string }>

/**
 * A page through a function's handler beside a handler that sends the same Query by the SDK: in one process by turns, one request at a time as
 * Lambda does; and the first page of a fresh process, with the import.
 */
export async function lambda({ quick, random }: BenchContext): Promise<Report> {
  await using engine = await startBare({ inMemory: true })
  process.env.DYNAMODB_ENDPOINT = engine.endpoint
  const client = new DynamoDBClient(clientConfig(engine.endpoint))
  await createCommentsTable(client)
  await storeComments(client, generateComments(COMMENTS, random).map(entryOf))
  client.destroy()
  using folder = openProgramFolder()
  const urls = await bundled(folder)
  const warm = await warmed(urls, quick ? QUICK_TURNS : TURNS)
  const cold = await answeredCold(urls, quick ? QUICK_TURNS : COLD_TURNS)
  const perSecond = (program: Program): number => 1000 / median(warm[program].map(({ wall }) => wall))
  const overBare = (times: Times, of: keyof ProgramTime, program: Program): number =>
    median(times[program].map((time, turn) => time[of] / (times.bare[turn]?.[of] ?? Number.NaN)))
  return {
    tables: [
      {
        title: `A filtered page of ${PAGE} by a handler, one request at a time in one process, medians of ${warm.bare.length} turns each of ${CALLS} requests`,
        columns: [
          'handler',
          'requests a second',
          'processor, ms a request',
          'requests a second, over the bare handler’s',
        ],
        rows: NAMES.map((program) => [
          ...[TITLES[program], rounded(perSecond(program), 0)],
          rounded(median(warm[program].map(({ processor }) => processor)), 2),
          rounded(1 / overBare(warm, 'wall', program), 2),
        ]),
      },
      {
        title: `Import and the first page, in a fresh process, medians of ${cold.bare.length} turns; bundled, several files`,
        columns: ['function', 'wall', 'processor', 'processor, over the bare handler’s'],
        rows: NAMES.map((program) => [
          TITLES[program],
          `${rounded(median(cold[program].map(({ wall }) => wall)), 0)} ms`,
          `${rounded(median(cold[program].map(({ processor }) => processor)), 0)} ms`,
          rounded(overBare(cold, 'processor', program), 2),
        ]),
      },
    ],
    targets: [
      {
        name: 'requests a second, reader over bare handler',
        value: 1 / overBare(warm, 'wall', 'reader'),
        limit: 0.9,
        kind: 'at least',
      },
      {
        name: 'requests a second, lapidaryRoutes over bare handler',
        value: 1 / overBare(warm, 'wall', 'api'),
        limit: 0.9,
        kind: 'at least',
      },
      {
        name: 'import and first page, reader over bare handler',
        value: overBare(cold, 'processor', 'reader'),
        limit: 1.15,
        kind: 'at most',
      },
    ],
    figures: { warm, cold },
  }
}

type Urls = Readonly<Record<Program, string>>
type Times = Readonly<Record<Program, ProgramTime[]>>

async function bundled(folder: ProgramFolder): Promise<Urls> {
  const url = async (program: Program): Promise<string> =>
    pathToFileURL(await folder.bundle(program, PROGRAMS[program], true)).href
  return { bare: await url('bare'), reader: await url('reader'), api: await url('api') }
}

/** Whatever else the machine does weighs on all: each turn is compared with the bare handler's. */
async function inTurns(turns: number, take: (program: Program) => Promise<ProgramTime>): Promise<Times> {
  const taken: Times = { bare: [], reader: [], api: [] }
  for (let turn = 0; turn < turns; turn++) {
    for (const program of turn % 2 === 0 ? NAMES : NAMES.toReversed()) taken[program].push(await take(program))
  }
  return taken
}

async function warmed(urls: Urls, turns: number): Promise<Times> {
  const handlers = new Map<Program, Handler>()
  for (const program of NAMES) handlers.set(program, ((await import(urls[program])) as { handler: Handler }).handler)
  const call = async (program: Program): Promise<string> => {
    const { statusCode, body } = (await handlers.get(program)?.(EVENT, {})) ?? { statusCode: 0, body: '' }
    if (statusCode !== 200) throw new Error(`${program} answered ${statusCode}: ${body}`)
    return body
  }
  const ids = await Promise.all(NAMES.map(async (program) => idsIn(await call(program))))
  if (new Set(ids).size !== 1) throw new Error(`the handlers gave other pages: ${ids.join(' | ')}`)
  const turn = async (program: Program, calls: number): Promise<ProgramTime> => {
    const before = process.cpuUsage()
    const { ms } = await timed(async () => {
      for (let i = 0; i < calls; i++) await call(program)
    })
    const { user, system } = process.cpuUsage(before)
    return { wall: ms / calls, processor: (user + system) / 1000 / calls }
  }
  for (const program of NAMES) await turn(program, WARM_UP)
  return inTurns(turns, (program) => turn(program, CALLS))
}

function idsIn(body: string): string {
  const { items } = JSON.parse(body) as { readonly items: readonly { readonly id: string }[] }
  if (items.length !== PAGE) throw new Error(`a page has ${items.length} items`)
  return items.map(({ id }) => id).join()
}

async function answeredCold(urls: Urls, turns: number): Promise<Times> {
  const answer = `const { statusCode } = await program.handler(${JSON.stringify(EVENT)}, {})
if (statusCode !== 200) throw new Error(\`answered \${statusCode}\`)`
  const once = async (program: Program): Promise<ProgramTime> => timeOfImport(urls[program], answer)
  // The first turn reads the files from the disk.
  await inTurns(1, once)
  return inTurns(turns, once)
}
