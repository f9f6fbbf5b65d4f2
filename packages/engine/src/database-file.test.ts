import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { prepareDatabase } from './database-file.ts'
import { runSql } from './sqlite.ts'

let folder: string
let file: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lapidary-test-'))
  file = join(folder, 'dynamodb.sqlite')
})
afterEach(() => rmSync(folder, { recursive: true }))

test('a new database has the indexes of the stream records', async () => {
  await prepareDatabase(file)
  expect(indexes()).toEqual(['lapidary_stream_sequence', 'lapidary_stream_shard'])
  expect((statSync(file).mode & 0o777).toString(8)).toBe('600')
})

test('a database that is there gets them where a SQLite is at hand, and is left alone elsewhere', async () => {
  await prepareDatabase(file)
  const dropped = await runSql(file, 'DROP INDEX lapidary_stream_sequence; DROP INDEX lapidary_stream_shard; VACUUM')
  expect(indexes()).toEqual(dropped ? [] : ['lapidary_stream_sequence', 'lapidary_stream_shard'])
  await prepareDatabase(file)
  expect(indexes()).toEqual(['lapidary_stream_sequence', 'lapidary_stream_shard'])
})

test('what is no database is left to the engine to complain about', async () => {
  writeFileSync(file, 'not a database'.repeat(1_000))
  await prepareDatabase(file)
  expect(readFileSync(file, 'utf8')).toBe('not a database'.repeat(1_000))
})

/** Finds indexes by the text of their statements, which the file holds as they are. */
function indexes(): string[] {
  const found = readFileSync(file, 'latin1').matchAll(/CREATE INDEX (?:IF NOT EXISTS )?(lapidary_\w+)/g)
  return [...new Set([...found].map(([, name]) => String(name)))].sort()
}
