import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { provisioned } from './provisioned.ts'

/** A Redis, or a Valkey, of a test's own. */
export interface TestRedis extends AsyncDisposable {
  readonly port: number
  /** The address: `redis://127.0.0.1:…`. */
  readonly url: string
  /** Ends it as a crash does. */
  kill(): Promise<void>
  /** Starts it again, after {@link kill}, on the same port and with what it has on disk. */
  restart(): Promise<void>
}

export type RedisKind = 'redis' | 'valkey'

/** Returns the path of a program that the provision script has fetched, or the name of an installed one. */
export function redisProgram(kind: RedisKind, program: 'server' | 'cli' | 'benchmark'): string {
  const fetched = provisioned(kind, 'bin', `${kind}-${program}`)
  return existsSync(fetched) ? fetched : `${kind}-${program}`
}

/** Starts one on a free port of the loopback, with nothing on disk unless `options` say so; it also ends with this process. */
export async function startRedis(kind: RedisKind, options: readonly string[] = []): Promise<TestRedis> {
  for (let tries = 0; ; tries++) {
    const folder = mkdtempSync(join(tmpdir(), 'lapidary-test-'))
    const port = 20_000 + Math.floor(Math.random() * 12_000)
    const settings = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '']
    const begin = (): ChildProcess =>
      spawn(redisProgram(kind, 'server'), [...settings, ...options], { stdio: 'ignore' })
    let child = begin()
    const end = (): void => void child.kill('SIGKILL')
    process.once('exit', end)
    const kill = async (): Promise<void> => {
      if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit')
    }
    const restart = async (): Promise<void> => {
      child = begin()
      if (!(await answers(child, port))) throw new Error(`${kind}-server does not start again on port ${port}`)
    }
    const close = async (): Promise<void> => {
      process.off('exit', end)
      await kill()
      rmSync(folder, { recursive: true, force: true })
    }
    const url = `redis://127.0.0.1:${port}`
    if (await answers(child, port)) return { port, url, kill, restart, [Symbol.asyncDispose]: close }
    await close()
    if (tries === 5) throw new Error(`${kind}-server does not start: node scripts/provision.mjs provides it`)
  }
}

/** Tells whether it listens before it ends: the port may be taken. */
async function answers(child: ChildProcess, port: number): Promise<boolean> {
  let hasEnded = false
  child.once('exit', () => {
    hasEnded = true
  })
  child.once('error', () => {
    hasEnded = true
  })
  while (!hasEnded) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    // The port may be another program's, on which this one could not listen.
    if (isOpen) return await sleep(50).then(() => !hasEnded)
    await sleep(20)
  }
  return false
}
