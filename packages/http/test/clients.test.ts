import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import openapiTS, { astToString } from 'openapi-typescript'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { provisioned } from '../../../test/engines/provisioned.ts'
import { createHttpServer } from '../src/internal-server.ts'
import { ADMIN, useServedApi } from './served-api.ts'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const CLIENTS = fileURLToPath(new URL('clients/', import.meta.url))
const api = useServedApi({ items: 40 })
const server = createHttpServer()
let address = ''
let folder = ''

beforeAll(async () => {
  address = `http://127.0.0.1:${await server.listen(api.app.fetch, { host: '127.0.0.1', port: 0 })}`
  // In the repository's folder, so that the compiler finds what npm installed.
  mkdirSync(join(ROOT, '.cache'), { recursive: true })
  folder = mkdtempSync(join(ROOT, '.cache', 'clients-'))
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await server.drain()
})

/** What each client says of what it has seen. */
const SEEN = {
  delivered: 5,
  total: 5,
  created: 'OPEN',
  changed: 'SHIPPED',
  version: 3,
  conflict: 'version_conflict',
  refused: 'bad_request',
  counted: 26,
  digits: 234567.8912,
  noted: true,
  removed: true,
}

test('a client in TypeScript that is generated from the description compiles and works', async () => {
  const description = await openapiTS(new URL(`${address}/openapi.json`))
  writeFileSync(join(folder, 'api.d.ts'), astToString(description))
  writeFileSync(join(folder, 'client.ts'), readFileSync(join(CLIENTS, 'client.ts.txt'), 'utf8'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  const options = ['--module', 'nodenext', '--target', 'es2023', '--strict', '--skipLibCheck', '--types', 'node']
  const { stdout: said } = await run(process.execPath, [tsc, '--ignoreConfig', ...options, 'client.ts'], {
    cwd: folder,
  }).catch((error: { readonly stdout: string }) => error)
  expect(said).toBe('')
  const { stdout } = await run(process.execPath, [join(folder, 'client.js'), address, ADMIN])
  expect(JSON.parse(stdout)).toEqual(SEEN)
})

test('a client in Python that is generated from the description works', async () => {
  const description = await (await fetch(`${address}/openapi.json`)).text()
  const file = join(folder, 'openapi.json')
  writeFileSync(file, description)
  const bin = provisioned('openapi-python-client', 'bin')
  const generate = ['generate', '--path', file, '--output-path', join(folder, 'lapidary_api'), '--meta', 'none']
  // Its own linter is run afterwards, which is no matter here.
  writeFileSync(join(folder, 'settings.yml'), 'post_hooks: []\n')
  const { stderr, stdout: told } = await run(join(bin, 'openapi-python-client'), [
    ...generate,
    '--config',
    join(folder, 'settings.yml'),
  ])
  expect(`${told}${stderr}`).not.toMatch(/warning|error|unable/i)
  const { stdout } = await run(join(bin, 'python'), [join(CLIENTS, 'client.py'), folder, address, ADMIN])
  expect(JSON.parse(stdout)).toEqual(SEEN)
})

test('a client in Go that is generated from the description compiles and works', { timeout: 300_000 }, async () => {
  const description = join(folder, 'openapi.json')
  writeFileSync(description, await (await fetch(`${address}/openapi.json`)).text())
  const client = join(folder, 'go')
  cpSync(join(CLIENTS, 'go'), client, { recursive: true })
  mkdirSync(join(client, 'api'))
  // The generator calls Go too.
  const path = [provisioned('go', 'bin'), process.env.PATH].join(delimiter)
  const settings = { cwd: client, env: { ...process.env, PATH: path, GOTOOLCHAIN: 'local' } }
  const generate = ['-config', 'oapi-codegen.yaml', description]
  const { stdout: told, stderr } = await run(provisioned('oapi-codegen', 'oapi-codegen'), generate, settings)
  expect(`${told}${stderr}`).toBe('')
  await run('go', ['vet', './...'], settings)
  const { stdout } = await run('go', ['run', '.', address, ADMIN], settings)
  expect(JSON.parse(stdout)).toEqual(SEEN)
})
