import { randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import { Option } from 'commander'
import { byTokens } from 'lapidary-http'
import { budgetedClient, createMetrics, observeCapacity, registeredTracing, requestIds } from 'lapidary-http/internal'
import {
  createApi,
  createHttpServer,
  derivedDataReport,
  lagBeyond,
  observeDerivedData,
  startDerivedData,
} from 'lapidary-http/internal/server'
import { type CliCommand, type CommandRun, optionsOf } from '../command.ts'
import { loadConfig } from '../config.ts'
import { type CommonOptions, UsageError, wholeNumber } from '../options.ts'
import { openSession, type Session } from '../session.ts'
import type { Terminal } from '../terminal.ts'

interface ServeFlags extends CommonOptions {
  readonly port: number
  readonly adminToken?: string
  readonly writerToken?: string
  readonly maxCapacity: number
  readonly log?: true
}

/** It is for this machine: what others may reach is served by a program with an `authorize` of its own. */
const HOST = '127.0.0.1'
/** The names by which a browser of this machine may ask, and no page of another site that has its name resolved to it. */
const OWN_NAMES = ['127.0.0.1', 'localhost']
/** Milliseconds by which counts may be behind before answers leave them out. */
const MAX_LAG_MS = 60_000
/** Milliseconds for answers that are under way at the end. */
const DRAIN_MS = 500

/** `lapidary serve --port 3000`. */
export const serveCommand: CliCommand = {
  register(program, run) {
    program
      .command('serve')
      .description('serve the collections of the configuration over HTTP on this machine, until stopped')
      .addOption(
        new Option('--port <number>', '0 for any that is free')
          .argParser(wholeNumber(0, 65_535))
          .env('PORT')
          .default(3000),
      )
      .addOption(
        new Option(
          '--admin-token <text>',
          'the token that may write and delete; other users of the machine see flags, but not the environment; made when not given',
        ).env('ADMIN_TOKEN'),
      )
      .addOption(new Option('--writer-token <text>', 'the token that may create and change').env('WRITER_TOKEN'))
      .addOption(
        new Option('--max-capacity <rcu>', 'the most that one request may read')
          .argParser(wholeNumber(1))
          .env('MAX_CAPACITY')
          .default(50),
      )
      .option('--log', 'a line for each request')
      .action((_flags: unknown, command: Command) => runServe(optionsOf(command), run))
  },
}

async function runServe(flags: ServeFlags, { terminal }: CommandRun): Promise<void> {
  const { adminToken = randomBytes(18).toString('base64url'), writerToken, port } = flags
  for (const token of [adminToken, writerToken])
    if (token !== undefined && !/^[\x21-\x7e]{16,512}$/.test(token))
      throw new UsageError('a token has 16 to 512 visible ASCII characters without a space')
  const { collections } = await loadConfig(process.cwd(), flags.config)
  const [first] = Object.keys(collections)
  const chosen = { ...flags, ...(first === undefined ? {} : { collection: first }) }
  const metrics = createMetrics()
  const { observers, traceIds } = await registeredTracing()
  await using session = await openSession(chosen, {
    ...{ sentBy: budgetedClient, observers: [...observers, metrics.observer] },
  })
  observeCapacity(session.client, metrics.observeCapacity)
  await session.ensureTable()
  const logger = loggerOf(terminal, flags, () => ({ ...requestIds(), ...traceIds() }))
  const poller = await startDerivedData(session, logger)
  const countsBehind = (): number | undefined => lagBeyond(poller, MAX_LAG_MS)
  observeDerivedData(metrics, session, poller)
  const server = createHttpServer()
  try {
    const api = createApi(session.database, {
      ...{ logger, metrics, observers, countsBehind, maxCapacity: flags.maxCapacity, hosts: OWN_NAMES },
      authorize: byTokens({ admin: adminToken, ...(writerToken === undefined ? {} : { writer: writerToken }) }),
      title: session.definition.tableName,
      readiness: {
        table: async () => ({ ok: (await session.describeTable()) !== undefined }),
        derivedData: () => derivedDataReport({ database: session.database, countsBehind }, poller),
      },
    })
    const url = `http://${HOST}:${await server.listen(api.fetch, { host: HOST, port })}`
    if (flags.adminToken === undefined) terminal.note(`admin token: ${adminToken}`)
    terminal.note(`listening on ${url}; ${url}/docs shows what there is; Ctrl-C or SIGTERM ends it`)
    if (flags.json === true) {
      const made = flags.adminToken === undefined ? { adminToken } : {}
      await terminal.write(`${JSON.stringify({ url, collections: Object.keys(collections), ...made })}\n`)
    }
    await ended(terminal)
    await server.drain(DRAIN_MS)
  } finally {
    await poller.close()
    await closeLists(session)
  }
}

function ended({ signal }: Terminal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

/** @param ids Those of the request that a line is logged for. */
function loggerOf(terminal: Terminal, { log }: ServeFlags, ids: () => object) {
  const note = (line: object | string, message?: string): void => {
    const { err, ...rest } = { ...ids(), ...(typeof line === 'string' ? {} : (line as { readonly err?: unknown })) }
    const error = err instanceof Error ? err.message : err === undefined ? undefined : String(err)
    const parts = [message, error, Object.keys(rest).length === 0 ? undefined : JSON.stringify(rest)]
    terminal.note(typeof line === 'string' ? line : parts.filter((part) => part !== undefined).join(' '))
  }
  return { info: log === true ? note : () => {}, warn: note, error: note }
}

/** A session closes the page index of its collection; this command has those of all. */
async function closeLists({ database }: Session): Promise<void> {
  for (const client of Object.values(database) as readonly { readonly context?: Session['items']['context'] }[])
    for (const { lists } of client.context?.pages ?? []) await lists.close()
}
