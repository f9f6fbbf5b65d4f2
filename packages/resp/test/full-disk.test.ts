import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openRawClient } from './raw-client.ts'

let folder: string
const children: ChildProcess[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lapidary-test-'))
})
afterEach(async () => {
  for (const child of children.splice(0)) await kill(child)
  rmSync(folder, { recursive: true })
})

/** No file may grow beyond so many blocks of 512 bytes; writing on fails as on a full disk, on any Linux and for any user. */
async function start(blocks: number | 'unlimited'): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const script = fileURLToPath(new URL('./resp-process.ts', import.meta.url))
  const node = [process.execPath, '--import', 'tsx', script, join(folder, 'pages')]
  const child = spawn('sh', ['-c', `trap '' XFSZ; ulimit -f ${blocks}; exec "$@"`, 'sh', ...node], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TSX_DISABLE_CACHE: '1' },
  })
  children.push(child)
  let errors = ''
  child.stderr?.on('data', (text: Buffer) => {
    errors += text.toString()
  })
  const port = await Promise.race([
    once(child.stdout ?? child, 'data').then(([text]) => Number(text)),
    once(child, 'exit').then(() => Number.NaN),
  ])
  if (Number.isNaN(port)) throw new Error(errors)
  return { child, port }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await once(child, 'exit')
}

test('a server starts on a full disk after SIGKILL, reads, and says of a write which file has no room', async () => {
  const first = await start('unlimited')
  const writer = await openRawClient(first.port)
  expect(await writer.send(['ZADD', 'k', '1', 'a', '2', 'b'])).toEqual([':', '2'])
  await kill(first.child)
  const second = await start(0)
  const client = await openRawClient(second.port)
  expect(await client.send(['ZCARD', 'k'])).toEqual([':', '2'])
  expect(await client.send(['ZADD', 'k', '3', 'c'])).toEqual([
    '-',
    `MISCONF the page index can't write to ${join(folder, 'pages')}/log-000000000001.lpl: its disk is full; free some space, then try again`,
  ])
  expect(await client.send(['ZRANGE', 'k', '0', '-1'])).toEqual([
    '*',
    [
      ['$', 'a'],
      ['$', 'b'],
    ],
  ])
  await kill(second.child)
  const third = await start('unlimited')
  expect(await (await openRawClient(third.port)).send(['ZADD', 'k', '3', 'c'])).toEqual([':', '1'])
})

test('a server that has no room for its first files says where, and what to do', async () => {
  await expect(start(0)).rejects.toThrow(
    `the page index can't write to ${join(folder, 'pages')}: its disk is full; free some space, then try again`,
  )
})
