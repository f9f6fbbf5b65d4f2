// Runs pipelines of Redis clients in other languages against `lapidary resp`: npm run test:redis-clients
//
// A client that is not installed is reported as missing. redis-py comes from PyPI (PYTHON names the Python that has it), go-redis by `go run`,
// Jedis by Maven. Those of Node are in the tests of packages/resp.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const cli = join(here, '../../packages/cli/bin/lapidary.js')
const python = process.env.PYTHON ?? 'python3'
const folder = mkdtempSync(join(tmpdir(), 'lapidary-redis-clients-'))
const classPath = join(folder, 'class-path')

/** The steps that prepare a client, and the one that runs it. */
const clients = [
  {
    name: 'redis-py',
    prepare: [[python, '-c', 'import redis']],
    run: (port) => [python, join(here, 'redis-py/pipelines.py'), port],
  },
  {
    name: 'go-redis',
    prepare: [['go', 'version']],
    run: (port) => ['go', 'run', '-C', join(here, 'go-redis'), '.', port],
  },
  {
    name: 'Jedis',
    prepare: [
      ['mvn', '-q', '-f', join(here, 'jedis/pom.xml'), 'dependency:build-classpath', `-Dmdep.outputFile=${classPath}`],
    ],
    run: (port) => ['sh', '-c', `java -cp "$(cat ${classPath})" ${join(here, 'jedis/Pipelines.java')} ${port}`],
  },
]

const server = spawn(process.execPath, [cli, 'resp', '--port', '0', '--data-dir', folder, '--json'], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
let failures = 0
try {
  const [first] = await once(createInterface(server.stdout), 'line')
  const { port } = JSON.parse(first)
  for (const { name, prepare, run } of clients) {
    const missing = prepare.find(([program, ...args]) => spawnSync(program, args).status !== 0)
    if (missing !== undefined) {
      failures++
      console.log(`${name} is missing: ${missing.join(' ')} fails`)
      continue
    }
    const [program, ...args] = run(String(port))
    const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', timeout: 300_000 })
    console.log(stdout.trim())
    if (status !== 0 || !stdout.includes('ok: ') || stdout.includes('FAILS: ')) {
      failures++
      console.log(`${name} fails: ${stderr}`)
    }
  }
} finally {
  server.kill('SIGTERM')
  if (server.exitCode === null && server.signalCode === null) await once(server, 'exit')
  rmSync(folder, { recursive: true })
}
process.exitCode = failures > 0 ? 1 : 0
