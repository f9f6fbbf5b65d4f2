import type { Command } from 'commander'
import { type CliCommand, type CommandRun, optionsOf } from '../command.ts'
import { count } from '../count-text.ts'
import { leftWaiting } from '../left-waiting.ts'
import type { CommonOptions } from '../options.ts'
import { openSession } from '../session.ts'
import { changesText } from '../waiting-changes.ts'

const REPORT_MS = 10_000

/** `lapidary stream`. */
export const streamCommand: CliCommand = {
  register(program, run) {
    program
      .command('stream')
      .description('keep derived data up to date from the change stream, without a server, until stopped')
      .option('--dry-run', 'show how far the stream is counted, and change nothing')
      .action((_flags: unknown, command: Command) => runStream(optionsOf(command), run))
  },
}

async function runStream(
  flags: CommonOptions & { readonly dryRun?: boolean },
  { terminal }: CommandRun,
): Promise<void> {
  await using session = await openSession(flags)
  await session.requireTable()
  if (flags.dryRun === true) {
    const report = await session.database.stream.report()
    const text = `${shardsText(report.shards.length)}, ${changesText(report.pending)} not counted yet\n`
    await terminal.write(flags.json === true ? `${JSON.stringify(report)}\n` : text)
    return
  }
  let deadLetters = 0
  const poller = await session.database.stream.start({
    onError: (error, shardId) =>
      terminal.note(
        `${shardId ?? 'the stream'} is tried again: ${error instanceof Error ? error.message : String(error)}`,
      ),
    onDeadLetter: ({ key, reason }) => {
      deadLetters++
      terminal.note(`a change of ${key.PK} could not be counted: ${reason}; lapidary doctor tells what to do`)
    },
  })
  terminal.note(`counting the changes of ${session.definition.tableName}; Ctrl-C or SIGTERM ends it`)
  const progress = () => {
    const { lagMs, shards } = poller.status()
    return { lagMs, shards, deadLetters }
  }
  const writeJson = (line: object): Promise<void> => terminal.write(`${JSON.stringify(line)}\n`)
  const report = async (): Promise<void> => {
    const { lagMs, shards } = progress()
    if (flags.json === true) await writeJson(progress())
    else terminal.note(lagText(lagMs, shards.length))
  }
  const timer = setInterval(() => void report(), REPORT_MS)
  let last = progress()
  try {
    if (!terminal.signal.aborted) {
      await new Promise<void>((resolve) => terminal.signal.addEventListener('abort', () => resolve(), { once: true }))
    }
  } finally {
    clearInterval(timer)
    last = progress()
    await poller.close()
  }
  const { text, json } = await leftWaiting(session, terminal)
  const read = 'everything that was read is counted'
  terminal.note(
    `stopped; ${[json.counted === true ? undefined : read, text].filter((part) => part !== undefined).join('; ')}`,
  )
  if (flags.json === true) await writeJson({ ...last, ...json })
}

function lagText(lagMs: number | null, shards: number): string {
  if (shards === 0) return 'another process counts; this one takes over when it ends'
  const of = shardsText(shards)
  return lagMs === null ? `${of}, reading` : `${of}, ${(lagMs / 1000).toFixed(1)} s behind`
}

function shardsText(shards: number): string {
  return `${count(shards)} ${shards === 1 ? 'shard' : 'shards'}`
}
