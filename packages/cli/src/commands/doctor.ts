import type { Command } from 'commander'
import { DEPLOYMENT_CHECKS, nodeCheck, TABLE_CHECKS, tableCheck } from '../checks.ts'
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
      .description('check Node.js, the engine and the table against its declaration, and say what to do')
      .option('--allow-behind', 'report changes that wait although nothing counts them, without failing')
      .option('--check', 'for a deployment: only the table and its indexes; prints only what is wrong')
      .action((_flags: unknown, command: Command) => runDoctor(optionsOf(command), run))
  },
}

interface DoctorFlags extends CommonOptions {
  readonly check?: boolean
  readonly allowBehind?: boolean
}

async function runDoctor(flags: DoctorFlags, { terminal, fail }: CommandRun): Promise<void> {
  const findings: Finding[] = [nodeCheck(process.versions.node)]
  try {
    await examine(flags, terminal.signal, findings)
  } catch (error) {
    if (error instanceof UsageError) throw error
    const failure = failureOf(error)
    findings.push({ check: failure?.code ?? 'failed', ok: false, message: failure?.message ?? String(error) })
  }
  const ok = findings.every((finding) => finding.ok)
  const shown = flags.check === true ? findings.filter((finding) => !finding.ok) : findings
  await terminal.write(
    flags.json === true ? `${JSON.stringify({ ok, findings: shown })}\n` : shown.map(findingText).join(''),
  )
  if (!ok) fail()
}

async function examine(flags: DoctorFlags, signal: AbortSignal, findings: Finding[]): Promise<void> {
  await using session = await openSession(flags)
  findings.push({ check: 'config', ok: true, message: session.config.file })
  findings.push(...(await tableCheck(session)))
  if (!findings.every(({ ok }) => ok)) return
  const context = { signal, allowBehind: flags.allowBehind === true }
  for (const check of flags.check === true ? DEPLOYMENT_CHECKS : TABLE_CHECKS)
    findings.push(...(await check(session, context)))
}

function findingText({ check, ok, message, remedy }: Finding): string {
  return `${ok ? 'ok   ' : 'WRONG'}  ${check}: ${message}\n${remedy === undefined ? '' : `       do: ${remedy}\n`}`
}
