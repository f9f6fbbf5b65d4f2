import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { useTemporaryFolder } from '../../../test/temporary-folder.ts'
import { kill, startLimited } from './limited-process.ts'
import { openRawClient } from './raw-client.ts'

const folder = useTemporaryFolder()
const children: ChildProcess[] = []

afterEach(async () => {
  for (const child of children.splice(0)) await kill(child)
})

/** No file may grow beyond this many blocks of 512 bytes: a further write fails as on a full disk, on any Linux and for any user. */
const start = async (blocks: number | 'unlimited'): ReturnType<typeof startLimited> => {
  const started = await startLimited(`trap '' XFSZ; ulimit -f ${blocks}`, [join(folder.path, 'pages')])
  children.push(started.child)
  return started
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
    `MISCONF the page index can't use ${join(folder.path, 'pages')}/log-000000000001.lpl: its disk is full; free some space, then try again`,
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
    `the page index can't use ${join(folder.path, 'pages')}: its disk is full; free some space, then try again`,
  )
})
