import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from 'redis'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { spawnCli } from './run-cli.ts'

const PASSWORD = 'a password of this test'
let folder: string
const children: ChildProcess[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lapidary-test-'))
})
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await once(child, 'exit')
  }
  rmSync(folder, { recursive: true })
})

/** Starts the command, and waits for its first output. */
async function start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawnCli(['resp', '--port', '0', '--json', ...args], { ...env, DATA_DIR: folder })
  children.push(child)
  const ended = once(child, 'close') as Promise<[number | null]>
  let stderr = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk
  })
  const first = await Promise.race([once(child.stdout ?? child, 'data'), ended])
  const url = first[0] instanceof Buffer ? (JSON.parse(String(first[0])) as { url?: string }).url : undefined
  return {
    url: url ?? '',
    async stop() {
      child.kill('SIGTERM')
      const [code] = await ended
      return { code, stderr }
    },
    result: async () => ({ code: (await ended)[0], stderr }),
  }
}

describe('lapidary resp', () => {
  it('serves any Redis client, ends by SIGTERM, and has everything when it is started again', async () => {
    for (const round of [1, 2]) {
      const server = await start([])
      const client = createClient({ url: server.url })
      await client.connect()
      expect(await client.zAdd('k', { value: `m${round}`, score: round })).toBe(1)
      expect(await client.zCard('k')).toBe(round)
      const closed = once(client, 'end').catch(() => {})
      client.on('error', () => {})
      const { code, stderr } = await server.stop()
      client.destroy()
      await closed
      expect(code).toBe(0)
      expect(stderr).toMatch(/^listening on redis:\/\/127\.0\.0\.1:\d+; \d lists in .*page-index; .*\nstopped; /)
    }
  })

  it('asks for the password of the environment', async () => {
    const server = await start([], { RESP_PASSWORD: PASSWORD })
    const stranger = connect(Number(new URL(server.url).port), '127.0.0.1')
    stranger.write('ZCARD k\r\n')
    expect(String((await once(stranger, 'data'))[0])).toBe('-NOAUTH Authentication required.\r\n')
    stranger.destroy()
    const client = createClient({ url: server.url, password: PASSWORD })
    await client.connect()
    expect(await client.zCard('k')).toBe(0)
    await client.close()
    expect((await server.stop()).code).toBe(0)
  })

  it('tells a second one who has the folder', async () => {
    const first = await start([])
    const second = await start([])
    const { code, stderr } = await second.result()
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^lapidary: process \d+ on .* writes to the page index in /),
    ])
    await first.stop()
  })

  it.each([[['--password', 'short']], [['--host', '0.0.0.0']], [['--every-ms', '0']]])(
    '%j is wrong usage',
    async (args) => {
      expect((await (await start(args)).result()).code).toBe(2)
    },
  )
})
