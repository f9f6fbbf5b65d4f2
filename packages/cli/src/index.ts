/** @module lapidary-cli */

import { readFileSync } from 'node:fs'
import { failureOf } from './failures.ts'
import { createProgram } from './program.ts'
import { openTerminal } from './terminal.ts'

export { defineConfig, type GenerateOptions, type Generator, type LapidaryConfig } from './config.ts'

/**
 * Runs the command line.
 *
 * @param argv The arguments, as `process.argv`.
 * @returns The exit code: 0 done, 1 failed, 2 wrong usage.
 * @example
 * ```ts
 * process.exitCode = await main(process.argv)
 * ```
 */
export async function main(argv: readonly string[]): Promise<number> {
  quietSdk()
  const terminal = openTerminal()
  let exitCode = 0
  const fail = (): void => {
    exitCode = 1
  }
  try {
    await createProgram({ terminal, fail }, packageVersion()).parseAsync(argv)
    return exitCode
  } catch (error) {
    const failure = failureOf(error)
    if (failure === undefined) return 0
    const { exitCode: code, ...rest } = failure
    terminal.note(`lapidary: ${failure.message}`)
    if (code === 2) terminal.note('lapidary --help, or lapidary COMMAND --help, shows the usage')
    if (argv.includes('--json')) await terminal.write(`${JSON.stringify({ error: rest })}\n`)
    return code
  } finally {
    terminal.close()
  }
}

/** Silences the SDK's remark on Node versions, which is for developers; doctor has its own check. */
function quietSdk(): void {
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true'
}

function packageVersion(): string {
  const file = new URL('../package.json', import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}
