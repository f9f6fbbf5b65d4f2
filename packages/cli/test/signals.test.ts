import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { pairs } from '../../../test/engines/draws.ts'
import { type DynamoDbLocal, startDynamoDbLocal } from '../../../test/engines/dynamodb-local.ts'
import { createProgram } from '../src/program.ts'
import { type CliHome, finished, openCliHome } from './run-cli.ts'

/** A command ends within a second; on a machine that is busy with other tests its process may have to wait for its turn. */
const LONGEST_MS = 30_000

/** Work that does not end by itself: of the processor, or of a database that no longer answers. */
interface Work {
  readonly args: readonly string[]
  /** The output in the middle of the work; when not given, a request that is not answered. */
  readonly shows?: RegExp
}

const LIST = ['--scope', '42']
const WIDE = 'wide.config.mjs'
const WORK: Readonly<Record<string, Work>> = {
  import: { args: ['import', 'comments.jsonl'] },
  export: { args: ['export', 'exported.jsonl'] },
  generate: { args: ['generate', '--comments', '1000000000', '--dry-run'], shows: /generating/ },
  list: { args: ['list', ...LIST] },
  show: { args: ['show', '1'] },
  explain: { args: ['explain', ...LIST] },
  count: { args: ['count', ...LIST] },
  leaderboard: { args: ['leaderboard', 'five-star'] },
  // The command waits for nothing but the declaration.
  table: { args: ['table', '--config', 'endless.config.mjs'], shows: /loading/ },
  stream: { args: ['stream'] },
  resp: { args: ['resp', '--port', '0'], shows: /listening on/ },
  serve: { args: ['serve', '--port', '0'] },
  studio: { args: ['studio', '--port', '0'], shows: /this machine only/ },
  verify: { args: ['verify'] },
  repair: { args: ['repair'] },
  rebuild: { args: ['rebuild', 'statistics'] },
  backfill: { args: ['backfill'] },
  'delete-all': { args: ['delete-all', ...LIST, '--yes'] },
  advise: {
    args: ['advise', '--config', WIDE, '--seconds', '3600', '--writes-per-second', '5', '--reads-per-second', '200'],
    shows: /searching/,
  },
  'train-dictionary': { args: ['train-dictionary', 'comments.dict'] },
  doctor: { args: ['doctor'] },
}

const ENDLESS =
  "console.error('loading')\nawait new Promise((resolve) => setInterval(resolve, 3_600_000))\nexport default {}\n"
/** More facets than a search among their indexes can finish. */
const WIDE_CONFIG = `import { anyOf, defineCollection } from 'lapidary'
const names = ['f0', 'f1', 'f2', 'f3', 'f4', 'f5']
const schema = { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } }
const things = defineCollection({
  name: 'THING', schema, id: 'id', order: 'at', scope: { name: 'PARENT', attribute: 'parent' },
  facets: Object.fromEntries(names.map((name) => [name, anyOf(['a', 'b', 'c', 'd'])])),
  indexes: Object.fromEntries([[], ...names.map((name) => [name]), names].map((partition, i) => ['index' + i, { partition }])),
}); export default { collections: { things } }
`

/** Passes requests on to the engine, but answers none about items. */
async function openHangingDatabase(endpoint: string) {
  const waiting: (() => void)[] = []
  const server = createServer(async (request, response) => {
    const body: Buffer[] = []
    for await (const chunk of request) body.push(chunk as Buffer)
    const target = String(request.headers['x-amz-target'])
    if (/\.(Describe|ListStreams|CreateTable|UpdateTimeToLive)/.test(target)) {
      const { host: _, 'content-length': __, connection: ___, ...headers } = request.headers
      const answer = await fetch(endpoint, {
        method: 'POST',
        headers: headers as Record<string, string>,
        body: Buffer.concat(body),
      })
      response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0' })
      response.end(Buffer.from(await answer.arrayBuffer()))
      return
    }
    for (const each of waiting.splice(0)) each()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hung: () => new Promise<void>((resolve) => waiting.push(resolve)),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

let home: CliHome
let local: DynamoDbLocal
let database: Awaited<ReturnType<typeof openHangingDatabase>>
beforeAll(async () => {
  home = await openCliHome()
  local = await startDynamoDbLocal()
  const env = { DYNAMODB_ENDPOINT: local.endpoint }
  await home.run(['generate', '--products', '2', '--comments', '50', '--seed', '1'], { env })
  await home.run(['export', home.file('comments.jsonl')], { env })
  writeFileSync(home.file('endless.config.mjs'), ENDLESS)
  writeFileSync(home.file(WIDE), WIDE_CONFIG.replace("'lapidary'", JSON.stringify(import.meta.resolve('lapidary'))))
  database = await openHangingDatabase(local.endpoint)
})
afterAll(async () => {
  database.close()
  await local.close()
  await home[Symbol.asyncDispose]()
})

test('every command has work to be stopped in', () => {
  const terminal = undefined as never
  const names = createProgram({ terminal, fail: () => {} }, '0').commands.map((command) => command.name())
  expect(Object.keys(WORK).toSorted()).toEqual(names.toSorted())
})

describe('lapidary', () => {
  // One handler takes both signals.
  test.each(pairs(Object.keys(WORK), ['SIGINT', 'SIGTERM'] as const))(
    '%s ends on %s in the middle of its work',
    async (name, signal) => {
      const { args, shows } = WORK[name] as Work
      const files = args.map((arg) => (/\.(mjs|jsonl|dict)$/.test(arg) ? home.file(arg) : arg))
      const busy = shows === undefined ? database.hung() : undefined
      const child = home.start(files, { env: { DYNAMODB_ENDPOINT: database.endpoint } })
      onTestFinished(() => void child.kill('SIGKILL'))
      const ended = finished(child)
      const early = ended.then(({ stderr }) => Promise.reject(new Error(`it ended by itself: ${stderr}`)))
      await Promise.race([busy ?? written(child, shows as RegExp), early])
      const sent = performance.now()
      child.kill(signal)
      const { code } = await ended
      early.catch(() => {})
      expect(performance.now() - sent).toBeLessThan(LONGEST_MS)
      // The command ends by itself, not by the signal.
      expect([0, 1]).toContain(code)
      expect(readdirSync(home.folder).filter((file) => file.endsWith('.tmp'))).toEqual([])
    },
  )
})

/** Waits until a process has written a text to standard error. */
async function written(child: ChildProcess, text: RegExp): Promise<void> {
  for (let all = ''; !text.test(all); ) {
    const [chunk] = await once(child.stderr as NodeJS.ReadableStream, 'data')
    all += String(chunk)
  }
}
