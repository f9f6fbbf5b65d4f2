import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { type Logger, pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { logStream } from './log-stream.ts'

test.each([
  [true, /^\[\d\d:\d\d:\d\d\] INFO: GET \/p\/42 200 in 17.6 ms, 1.5 RCU\n$/],
  [false, /^\{.*"path":"\/p\/42".*\}\n$/],
])('logs at a terminal (%s) are for people, else JSON', async (isTTY, expected) => {
  const read = logged(isTTY, (logger) =>
    logger.info({ id: '1', method: 'GET', path: '/p/42', status: 200, ms: 17.6, rcu: 1.5 }),
  )
  await expect.poll(() => stripVTControlCharacters(read())).toMatch(expected)
})

test('at a terminal each log is one line, which takes the place of a progress bar', async () => {
  const read = logged(true, (logger) => logger.info({ items: 5000 }, 'built the page index'))
  await expect.poll(read).toMatch(/built the page index.*5000.*\n$/)
  // The cursor goes to the first column, and the line is cleared.
  expect(read().startsWith('\u001b[G\u001b[K[')).toBe(true)
})

test('at a terminal times are those of the place', async () => {
  const zone = process.env.TZ
  onTestFinished(() => {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  })
  process.env.TZ = 'Asia/Kolkata'
  const now = Date.UTC(2026, 0, 1, 12, 0, 0)
  const read = logged(true, (logger) => logger.info({ time: now }, 'noon'))
  await expect.poll(() => stripVTControlCharacters(read())).toContain('[17:30:00]')
})

/** Logs into a file as to a terminal or not, and returns a function that reads it. */
function logged(isTTY: boolean, log: (logger: Logger) => void): () => string {
  const folder = mkdtempSync(join(tmpdir(), 'log-'))
  const file = join(folder, 'log')
  const fd = openSync(file, 'w')
  onTestFinished(() => {
    closeSync(fd)
    rmSync(folder, { recursive: true })
  })
  log(pino({ base: null }, logStream({ isTTY, fd })))
  return () => readFileSync(file, 'utf8')
}
