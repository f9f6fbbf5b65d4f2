import type { Command } from 'commander'
import { type CliCommand, type CommandRun, optionsOf } from '../command.ts'
import { count } from '../count-text.ts'
import type { CommonOptions } from '../options.ts'
import { openSession } from '../session.ts'

const REPORT_MS = 10_000

/** `lapidary stream`. */
export const streamCommand: CliCommand = {
  register(program, run) {
    program
      .command('stream')
      .description('keep derived data up to date from the change stream, without a server, until stopped')
      .option('--dry-run', 'tell how far the stream is counted, and change nothing')
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
    const changes = `${count(report.pending)} ${report.pending === 1 ? 'change' : 'changes'} not counted yet`
    const text = `${shardsText(report.shards.length)}, ${changes}\n`
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
  const report = async (): Promise<void> => {
    const { lagMs, shards } = poller.status()
    if (flags.json === true) await terminal.write(`${JSON.stringify({ lagMs, shards, deadLetters })}\n`)
    else terminal.note(lagText(lagMs, shards.length))
  }
  const timer = setInterval(() => void report(), REPORT_MS)
  try {
    if (!terminal.signal.aborted) {
      await new Promise<void>((resolve) => terminal.signal.addEventListener('abort', () => resolve(), { once: true }))
    }
  } finally {
    clearInterval(timer)
    await poller.close()
  }
  terminal.note('stopped; everything that was read is counted')
}

function lagText(lagMs: number | null, shards: number): string {
  if (shards === 0) return 'another process counts; this one takes over when it ends'
  const of = shardsText(shards)
  return lagMs === null ? `${of}, reading` : `${of}, ${(lagMs / 1000).toFixed(1)} s behind`
}

function shardsText(shards: number): string {
  return `${count(shards)} ${shards === 1 ? 'shard' : 'shards'}`
}
