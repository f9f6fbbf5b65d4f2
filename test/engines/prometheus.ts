import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { provisioned } from './provisioned.ts'

/** Returns the path of a program that the provision script has fetched, or the name of an installed one. */
function program(name: 'prometheus' | 'promtool'): string {
  const fetched = provisioned('prometheus', 'root', 'usr', 'bin', name)
  return existsSync(fetched) ? fetched : name
}

/** Runs promtool on a text; returns what it complains of, nothing where it finds no fault. */
export async function promtool(options: readonly string[], input = ''): Promise<string> {
  const child = execFile(program('promtool'), [...options])
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (text) => {
      said += text
    })
  // It may end before it has read all.
  child.stdin?.on('error', () => {}).end(input)
  const [code] = await once(child, 'close')
  return code === 0 ? '' : said || `exit ${code}`
}

/** A Prometheus of a test's own. */
export interface TestPrometheus extends AsyncDisposable {
  /** Returns the `data` of an answer of its API. */
  ask<T>(path: string): Promise<T>
}

/** Starts one on a free port of the loopback, which scrapes an address of the loopback five times a second; it also ends with this process. */
export async function startPrometheus(target: string, rules: string): Promise<TestPrometheus> {
  for (let tries = 0; ; tries++) {
    const folder = mkdtempSync(join(tmpdir(), 'lapidary-test-'))
    const port = 20_000 + Math.floor(Math.random() * 12_000)
    const config = {
      global: { scrape_interval: '200ms', evaluation_interval: '200ms' },
      rule_files: [rules],
      scrape_configs: [{ job_name: 'lapidary', static_configs: [{ targets: [target] }] }],
    }
    // JSON is YAML, too.
    writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config))
    const options = [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`]
    const child = spawn(program('prometheus'), [...options, `--web.listen-address=127.0.0.1:${port}`], {
      stdio: 'ignore',
    })
    const failed = once(child, 'error').then(([error]) => error as Error)
    const end = (): void => void child.kill('SIGKILL')
    process.once('exit', end)
    const close = async (): Promise<void> => {
      process.off('exit', end)
      if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit')
      rmSync(folder, { recursive: true, force: true })
    }
    const address = `http://127.0.0.1:${port}`
    for (let waited = 0; waited < 600 && child.exitCode === null && child.pid !== undefined; waited++) {
      if ((await fetch(`${address}/-/ready`).catch(() => undefined))?.ok === true)
        return { ask: (path) => dataOf(`${address}${path}`), [Symbol.asyncDispose]: close }
      await sleep(100)
    }
    if (child.pid === undefined)
      throw new Error(`${(await failed).message}: node scripts/provision.mjs prometheus provides it`)
    await close()
    if (tries === 5) throw new Error('prometheus does not start')
  }
}

async function dataOf<T>(address: string): Promise<T> {
  const { status, data, error } = (await (await fetch(address)).json()) as {
    readonly status: string
    readonly data: T
    readonly error?: string
  }
  if (status !== 'success') throw new Error(`${address}: ${error}`)
  return data
}
