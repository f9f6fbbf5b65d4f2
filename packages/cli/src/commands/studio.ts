import { type Command, Option } from 'commander'
import type { CollectionClient, Collections, Lapidary } from 'lapidary'
import { createRequestLog, startStudio } from 'lapidary-studio'
import { TABLE_CHECKS, tableCheck } from '../checks.ts'
import { type CliCommand, type CommandRun, optionsOf } from '../command.ts'
import { loadConfig } from '../config.ts'
import { failureOf } from '../failures.ts'
import type { Finding } from '../finding.ts'
import { type CommonOptions, wholeNumber } from '../options.ts'
import { databaseText, openSession, type Session } from '../session.ts'
import { streamCheck } from '../stream-check.ts'

interface StudioFlags extends CommonOptions {
  readonly port: number
}

/** `lapidary studio --port 4000`. */
export const studioCommand: CliCommand = {
  register(program, run) {
    program
      .command('studio')
      .description('a page on this machine to browse, understand and operate the collections, until stopped')
      .addOption(
        new Option('--port <number>', '0 for any that is free').argParser(wholeNumber(0, 65_535)).default(4983),
      )
      .action((_flags: unknown, command: Command) => runStudio(optionsOf(command), run))
  },
}

async function runStudio(flags: StudioFlags, { terminal }: CommandRun): Promise<void> {
  const { collections } = await loadConfig(process.cwd(), flags.config)
  const [first = ''] = Object.keys(collections)
  // All of them are shown; a session is of one.
  const requests = createRequestLog()
  await using session = await openSession({ collection: first, ...flags }, { observers: [requests.observer] })
  await session.requireTable()
  const sessions = Object.entries(collections).map(([collectionName, collection]) => {
    const items = (session.database as Lapidary<Collections>)[collectionName] as CollectionClient<unknown>
    return { ...session, collectionName, collection, items }
  })
  await using studio = await startStudio({
    port: flags.port,
    database: session.database,
    place: `${session.definition.tableName} in ${databaseText(session.engine, session.dataDir)}`,
    collections: Object.fromEntries(
      sessions.map(({ collectionName, collection, items }) => [collectionName, { collection, client: items }]),
    ),
    requests,
    // The AWS CLI knows no Unix sockets.
    endpoint: /^https?:/.test(session.engine.endpoint ?? '') ? session.engine.endpoint : undefined,
    examine: (signal) => examine(sessions, signal),
    onError: (error) => terminal.note(`lapidary: ${error instanceof Error ? (error.stack ?? error.message) : error}`),
  })
  await terminal.write(
    flags.json === true ? `${JSON.stringify({ url: studio.url, port: studio.port })}\n` : `studio on ${studio.url}\n`,
  )
  terminal.note('reached from this machine only, by this address; Ctrl-C or SIGTERM ends it')
  if (!terminal.signal.aborted) {
    await new Promise<void>((resolve) => terminal.signal.addEventListener('abort', () => resolve(), { once: true }))
  }
  await studio.close()
  // The session closes the page index of its own collection.
  for (const { items } of sessions.slice(1)) for (const { lists } of items.context.pages) await lists.close()
}

/** Runs the doctor's checks for every collection. */
async function examine(sessions: readonly Session[], signal: AbortSignal): Promise<readonly Finding[]> {
  const [first, ...others] = sessions
  if (first === undefined) return []
  const findings: Finding[] = []
  try {
    findings.push(...(await tableCheck(first)))
    if (!findings.every(({ ok }) => ok)) return findings
    for (const check of TABLE_CHECKS) findings.push(...(await check(first, { signal, allowBehind: false })))
    // The stream is of the table, and looking at it takes seconds.
    for (const session of others)
      for (const check of TABLE_CHECKS.filter((each) => each !== streamCheck))
        findings.push(...(await check(session, { signal, allowBehind: false })))
  } catch (error) {
    if (signal.aborted) throw error
    const failure = failureOf(error)
    findings.push({ check: failure?.code ?? 'failed', ok: false, message: failure?.message ?? String(error) })
  }
  // What the table has once, a check of each collection tells again.
  return [...new Map(findings.map((finding) => [JSON.stringify(finding), finding])).values()]
}
