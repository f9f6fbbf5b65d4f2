import type { Command } from 'commander'
import { nodeCheck, TABLE_CHECKS, tableCheck } from '../checks.ts'
import { type CliCommand, type CommandRun, optionsOf } from '../command.ts'
import { failureOf } from '../failures.ts'
import type { Finding } from '../finding.ts'
import { type CommonOptions, UsageError } from '../options.ts'
import { openSession } from '../session.ts'

/** `lapidary doctor`. */
export const doctorCommand: CliCommand = {
  register(program, run) {
    program
      .command('doctor')
      .description('checks Node.js, the engine and the table against its declaration, and says what to do')
      .action((_flags: unknown, command: Command) => runDoctor(optionsOf(command), run))
  },
}

async function runDoctor(flags: CommonOptions, { terminal, fail }: CommandRun): Promise<void> {
  const findings: Finding[] = [nodeCheck(process.versions.node)]
  try {
    await examine(flags, findings)
  } catch (error) {
    if (error instanceof UsageError) throw error
    const failure = failureOf(error)
    findings.push({ check: failure?.code ?? 'failed', ok: false, message: failure?.message ?? String(error) })
  }
  const ok = findings.every((finding) => finding.ok)
  await terminal.write(
    flags.json === true ? `${JSON.stringify({ ok, findings })}\n` : findings.map(findingText).join(''),
  )
  if (!ok) fail()
}

async function examine(flags: CommonOptions, findings: Finding[]): Promise<void> {
  await using session = await openSession(flags)
  findings.push({ check: 'config', ok: true, message: session.config.file })
  findings.push(...(await tableCheck(session)))
  if (!findings.every(({ ok }) => ok)) return
  for (const check of TABLE_CHECKS) findings.push(...(await check(session)))
}

function findingText({ check, ok, message, remedy }: Finding): string {
  return `${ok ? 'ok   ' : 'WRONG'}  ${check}: ${message}\n${remedy === undefined ? '' : `       do: ${remedy}\n`}`
}
