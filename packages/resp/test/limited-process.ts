import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Starts a server in a process of its own, for which a shell sets limits first; throws its output when it does not start. */
export async function startLimited(
  limits: string,
  args: readonly string[],
): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const script = fileURLToPath(new URL('./resp-process.ts', import.meta.url))
  const node = [process.execPath, '--import', 'tsx', script, ...args]
  const child = spawn('sh', ['-c', `${limits}; exec "$@"`, 'sh', ...node], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TSX_DISABLE_CACHE: '1' },
  })
  let errors = ''
  child.stderr?.on('data', (text: Buffer) => {
    errors += text.toString()
  })
  const port = await Promise.race([
    once(child.stdout ?? child, 'data').then(([text]) => Number(text)),
    once(child, 'close').then(() => Number.NaN),
  ])
  if (Number.isNaN(port)) throw new Error(errors)
  return { child, port }
}

export async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await once(child, 'exit')
}
