import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { kill, startLimited } from './limited-process.ts'
import { openRawClient } from './raw-client.ts'

const PASSWORD = 'a password of this test'

test('strangers take no more sockets than the system gives: a client that knows the password gets in, and the store its files', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lapidary-test-'))
  const { child, port } = await startLimited('ulimit -n 160', [join(folder, 'pages'), PASSWORD])
  try {
    const strangers = Array.from({ length: 400 }, () => connect(port, '127.0.0.1').on('error', () => {}))
    await Promise.all(strangers.map((socket) => socket.pending && once(socket, 'connect').catch(() => {})))
    const client = await openRawClient(port)
    expect(await client.send(['AUTH', PASSWORD])).toEqual(['+', 'OK'])
    // More than the log of this server takes before it is merged into a new file.
    for (let i = 0; i < 2_000; i += 100) {
      const pairs = Array.from({ length: 100 }, (_, k) => [String(i + k), `member ${i + k}`]).flat()
      expect(await client.send(['ZADD', 'k', ...pairs])).toEqual([':', '100'])
    }
    await expect
      .poll(async () => String((await client.send(['INFO', 'persistence']))[1]))
      .toMatch(/lapidary_generation:[2-9]/)
    for (const socket of strangers) socket.destroy()
    client.close()
  } finally {
    await kill(child)
    rmSync(folder, { recursive: true })
  }
})
