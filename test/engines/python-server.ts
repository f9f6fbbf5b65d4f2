import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { provisioned } from './provisioned.ts'

/** A server of a test's own that pip has installed, with nothing in it. */
export interface PythonServer extends AsyncDisposable {
  /** The address: `http://127.0.0.1:…`. */
  readonly url: string
  /** Ends it as a crash would. */
  kill(): Promise<void>
}

/** Starts a program of a provisioned environment on a free port of the loopback; it also ends with this process. */
export async function startPythonServer(
  name: string,
  optionsOf: (port: string) => { readonly args: readonly string[]; readonly env?: Readonly<Record<string, string>> },
): Promise<PythonServer> {
  const program = provisioned(name, 'bin', 'python3')
  if (!existsSync(program)) throw new Error(`there is no ${name}: node scripts/provision.mjs provides it`)
  for (let tries = 0; ; tries++) {
    const port = String(20_000 + Math.floor(Math.random() * 12_000))
    const { args, env = {} } = optionsOf(port)
    const child = spawn(program, args, { stdio: 'ignore', env: { ...process.env, ...env } })
    const end = (): void => void child.kill('SIGKILL')
    process.once('exit', end)
    const kill = async (): Promise<void> => {
      process.off('exit', end)
      if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit')
    }
    const url = `http://127.0.0.1:${port}`
    while (child.exitCode === null) {
      const answer = await fetch(url).catch(() => undefined)
      if (answer !== undefined) return { url, kill, [Symbol.asyncDispose]: kill }
      await sleep(50)
    }
    await kill()
    if (tries === 5) throw new Error(`${name} does not start: node scripts/provision.mjs provides it`)
  }
}
