import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const SCHEMATHESIS = fileURLToPath(new URL('../../.cache/python/bin/schemathesis', import.meta.url))
const CONFIG = fileURLToPath(new URL('../../apps/comments/test/schemathesis.toml', import.meta.url))

export type Phase = 'examples' | 'coverage' | 'fuzzing' | 'stateful'

/** Options of one run of Schemathesis against a server. */
export interface AttackOptions {
  readonly address: string
  /** Sent with each request; undefined = none. */
  readonly token: string | undefined
  /** Repeats the draws. */
  readonly seed: number
  /** Requests drawn for each operation in each phase, about. */
  readonly examples: number
  /** Which of its phases run; all when not given. `examples` and `coverage` send the same requests whatever the seed. */
  readonly phases?: readonly Phase[]
  /** The file with the answers that no schema can foresee; the one of the comments application when not given. */
  readonly config?: string
}

interface OpenApi {
  readonly paths: Record<string, Record<string, { parameters?: { readonly name: string }[] }>>
}

/** Sends a server requests that its `/openapi.json` allows, and others, and checks each answer. */
export async function attack(options: AttackOptions): Promise<{ readonly code: number; readonly report: string }> {
  const { address, token, seed, examples, phases, config = CONFIG } = options
  const folder = mkdtempSync(join(tmpdir(), 'openapi-'))
  try {
    const description = join(folder, 'openapi.json')
    writeFileSync(description, JSON.stringify(await describedApi(address)))
    return await run(folder, [
      ...['--config-file', config, 'run', description, '--url', address, '--no-color'],
      ...(token === undefined ? [] : ['--header', `Authorization: Bearer ${token}`]),
      ...(phases === undefined ? [] : ['--phases', phases.join(',')]),
      ...['--seed', String(seed), '--max-examples', String(examples)],
      ...['--continue-on-failure', '--request-timeout', '240'],
    ])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The description as it is served, but for pages by number, which are answered 501 until they are there. */
async function describedApi(address: string): Promise<OpenApi> {
  const description = (await (await fetch(`${address}/openapi.json`)).json()) as OpenApi
  for (const operation of Object.values(description.paths).flatMap((path) => Object.values(path))) {
    operation.parameters = (operation.parameters ?? []).filter(({ name }) => name !== 'page')
  }
  return description
}

function run(cwd: string, options: readonly string[]): Promise<{ readonly code: number; readonly report: string }> {
  return new Promise((resolve) => {
    execFile(SCHEMATHESIS, options, { cwd, maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), report: `${stdout}${stderr}` }),
    )
  })
}
