import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { logStream } from './log-stream.ts'

test.each([
  [true, /^\[\d\d:\d\d:\d\d\] INFO: GET \/p\/42 200 in 17.6 ms, 1.5 RCU\n$/],
  [false, /^\{.*"path":"\/p\/42".*\}\n$/],
])('logs at a terminal (%s) are for people, else JSON', async (isTTY, expected) => {
  const folder = mkdtempSync(join(tmpdir(), 'log-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'log')
  const fd = openSync(file, 'w')
  const logger = pino({ base: null }, logStream({ isTTY, fd }))
  logger.info({ id: '1', method: 'GET', path: '/p/42', status: 200, ms: 17.6, rcu: 1.5 })
  await expect.poll(() => stripVTControlCharacters(readFileSync(file, 'utf8'))).toMatch(expected)
  closeSync(fd)
})
