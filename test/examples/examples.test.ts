import { execFile } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ROOT } from '../architecture/sources.ts'

const folder = join(ROOT, 'examples')
const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'main.ts')))

/** Examples whose plans and prices are held by snapshots. */
const DOMAINS = ['orders', 'tickets', 'audit-log', 'revenue']
/** Those that are answered by columns: how far these deflate hangs on the clock, and half a unit on that. */
const BY_COLUMNS = ['listings', 'help-desk']

function withoutItems(question: string): string {
  return question.replace(/^ {2}\{.*\n/gm, '')
}

function withoutUnits(question: string): string {
  return question.replace(/[\d.]+ RCU/g, 'n RCU')
}

/** Counts are at hand for a second: what all pages take hangs on how long they take. */
function withoutLaterPages(question: string): string {
  return question.replace(/[\d.]+ RCU in all \(pages: (?!1\))/g, 'n RCU in all (pages: ')
}

interface Ended {
  readonly code: number | null
  readonly output: string
}

function run(args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [...args], { cwd: ROOT }, (_error, stdout, stderr) => {
      resolve({ code: child.exitCode, output: `${stdout}${stderr}` })
    })
  })
}

const example = (...args: readonly string[]): Promise<Ended> => run([join(ROOT, 'scripts/example.mjs'), ...args])

describe.each(names)('the example %s', (name) => {
  test('shows queries, plans and prices, gives what a filter in memory gives, and ends by itself', async () => {
    const { code, output } = await example(name)
    expect(output).not.toContain('DIFFERS')
    expect(code, output).toBe(0)
    // Some examples begin with an introduction.
    const questions = output
      .trim()
      .split('\n\n')
      .filter((part, i) => i > 0 || part.includes('RCU'))
    expect(questions.length).toBeGreaterThan(1)
    expect(output).toMatch(/ -- [\d.]+ RCU, \d+ rounds?$/m)
    for (const question of questions) {
      expect(question).toMatch(/[\d.]+ RCU/)
      expect(question).toContain('the same as a filter in memory gives')
    }
    // The plan and the price of each question.
    if (DOMAINS.includes(name))
      expect(questions.map(withoutItems).map(withoutLaterPages).join('\n\n')).toMatchSnapshot()
    if (BY_COLUMNS.includes(name)) {
      expect(output).toMatch(/^ {2}COLUMNS\[/m)
      expect(questions.map(withoutItems).map(withoutUnits).join('\n\n')).toMatchSnapshot()
    }
  })
})

test('an answer that differs from a filter in memory ends an example with 1', async () => {
  const program = `import { compare } from './examples/example.ts'; compare([{ id: '1' }], [{ id: '2' }])`
  const { code, output } = await run(['--import', 'tsx', '--input-type=module', '-e', program])
  expect(output).toContain('DIFFERS')
  expect(code).toBe(1)
})

test('a name of no example is refused with those that there are', async () => {
  const { code, output } = await example('no-such')
  expect(output).toContain(names.join(', '))
  expect(code).toBe(2)
})
