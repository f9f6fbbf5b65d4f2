import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { Option } from 'commander'
import { openDiskLists } from 'lapidary-pages/file'
import { startRespServer } from 'lapidary-resp'
import { type CliCommand, type CommandRun, optionsOf } from '../command.ts'
import { type CommonOptions, DEFAULT_DATA_DIR, UsageError, wholeNumber } from '../options.ts'

interface RespFlags extends CommonOptions {
  readonly port: number
  readonly host: string
  readonly password?: string
  readonly everyMs?: number
}

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/
const LEAST_PASSWORD = 16

/** `lapidary resp`. */
export const respCommand: CliCommand = {
  register(program, run) {
    program
      .command('resp')
      .description('serve sorted lists on disk by the Redis protocol, until stopped')
      .addOption(
        new Option('--port <number>', '0 for any that is free').argParser(wholeNumber(0, 65_535)).default(6380),
      )
      .addOption(new Option('--host <address>', 'where it listens').default('127.0.0.1'))
      .addOption(
        new Option(
          '--password <text>',
          'the password of clients; other users of the machine see flags, but not the environment',
        ).env('RESP_PASSWORD'),
      )
      .addOption(
        new Option('--every-ms <number>', 'sync changes by time, and acknowledge them before that').argParser(
          wholeNumber(1),
        ),
      )
      .action((_flags: unknown, command: Command) => runResp(optionsOf(command), run))
  },
}

async function runResp(flags: RespFlags, { terminal }: CommandRun): Promise<void> {
  const { port, host, password, everyMs } = flags
  if (password !== undefined && password.length < LEAST_PASSWORD) {
    throw new UsageError(`a password has at least ${LEAST_PASSWORD} characters`)
  }
  if (password === undefined && !LOOPBACK.test(host)) {
    throw new UsageError(`${host} can be reached from other machines: give a --password too`)
  }
  const folder = join(resolve(flags.dataDir ?? DEFAULT_DATA_DIR), 'page-index')
  const note = (error: unknown): void => terminal.note(error instanceof Error ? error.message : String(error))
  await using lists = await openDiskLists({
    folder,
    onError: note,
    ...(everyMs === undefined ? {} : { durability: { everyMs } }),
  })
  if (lists.tornBytes > 0)
    terminal.note(`the last writer did not finish: cut ${lists.tornBytes} bytes that were not acknowledged`)
  await using server = await startRespServer({
    lists,
    port,
    host,
    onError: note,
    ...(password === undefined ? {} : { password }),
  })
  terminal.note(`listening on ${server.url}; ${lists.status().lists} lists in ${folder}; Ctrl-C or SIGTERM ends it`)
  if (flags.json === true) await terminal.write(`${JSON.stringify({ url: server.url, port: server.port, folder })}\n`)
  if (!terminal.signal.aborted) {
    await new Promise<void>((resolve) => terminal.signal.addEventListener('abort', () => resolve(), { once: true }))
  }
  await server.close()
  await lists.close()
  terminal.note('stopped; everything that was acknowledged is on the disk')
}
