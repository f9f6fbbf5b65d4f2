import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** A server that a bench compares with. */
export interface BenchServer extends AsyncDisposable {
  readonly port: number
  readonly pid: number
}

/** The program that `node scripts/provision.mjs` has fetched, or one that is installed. */
export function redisProgram(name: 'server' | 'benchmark'): string {
  const fetched = fileURLToPath(new URL(`../../.cache/redis/bin/redis-${name}`, import.meta.url))
  return existsSync(fetched) ? fetched : `redis-${name}`
}

/** Starts a Redis without persistence, unless the options say otherwise. */
export async function startRedis(options: readonly string[] = []): Promise<BenchServer> {
  const folder = mkdtempSync(join(tmpdir(), 'lapidary-bench-'))
  const port = 20_000 + Math.floor(Math.random() * 12_000)
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '']
  return await started(spawn(redisProgram('server'), [...settings, ...options], { stdio: 'ignore' }), port, folder)
}

/** Starts `lapidary resp`. */
export async function startResp(): Promise<BenchServer> {
  const folder = mkdtempSync(join(tmpdir(), 'lapidary-bench-'))
  const port = 20_000 + Math.floor(Math.random() * 12_000)
  const cli = fileURLToPath(new URL('../../packages/cli/bin/lapidary.js', import.meta.url))
  const child = spawn(process.execPath, [cli, 'resp', '--port', String(port), '--data-dir', folder], {
    stdio: 'ignore',
  })
  return await started(child, port, folder)
}

/** Waits until a program listens. */
export async function started(child: ChildProcess, port: number, folder?: string): Promise<BenchServer> {
  const end = (): void => void child.kill('SIGKILL')
  process.once('exit', end)
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} does not start`)
    const socket = connect(port, '127.0.0.1')
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isOpen) break
    await sleep(50)
  }
  return {
    port,
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      process.off('exit', end)
      if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit')
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
}
