import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ROOT } from '../architecture/sources.ts'

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

function run(args: readonly string[], env: Readonly<Record<string, string | undefined>> = {}): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { cwd: ROOT, env: { ...process.env, ...env } }
    const child = execFile(process.execPath, [...args], options, (_error, stdout, stderr) => {
      resolve({ code: child.exitCode, stdout, stderr })
    })
  })
}

/** The scripts that are run by themselves; the others are parts of them. */
const SCRIPTS = readdirSync(join(ROOT, 'scripts')).filter((file) =>
  /script-arguments\.mjs'/.test(readFileSync(join(ROOT, 'scripts', file), 'utf8')),
)
const BENCH = ['--import', 'tsx', join(ROOT, 'bench/src/main.ts')]
const PROGRAMS: readonly (readonly [name: string, program: readonly string[]])[] = [
  ...SCRIPTS.map((file) => [file.replace('.mjs', ''), [join(ROOT, 'scripts', file)]] as const),
  ['bench', BENCH],
]

test('what npm runs of the scripts reads its arguments', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const called = Object.values(scripts).flatMap((line) =>
    [...line.matchAll(/scripts\/(\S+\.mjs)/g)].map(([, file]) => file),
  )
  expect(called.filter((file) => !SCRIPTS.includes(file ?? ''))).toEqual([])
})

describe.each(PROGRAMS)('%s', (_, program) => {
  test('prints its usage, and does nothing, when it is asked for help', async () => {
    expect(await run([...program, '--help'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^usage: /),
      stderr: '',
    })
  })

  test('refuses an option that it does not know, with its usage', async () => {
    const { code, stdout, stderr } = await run([...program, '--no-such-option'])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^\w[\w-]*: .*\nusage: /)
  })
})

test('a bench that there is not, and a number that is none, are refused with the list', async () => {
  const unknown = await run([...BENCH, 'lists', 'nonsense'])
  expect([unknown.code, unknown.stderr]).toEqual([
    2,
    expect.stringMatching(/^bench: there is no bench nonsense\n.*\n.*\nthe benches are .*adviser/),
  ])
  expect(await run([...BENCH, 'lists', '--seed', 'x'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--seed is x'),
  })
})

test('an example whose engine is not there, and can not be installed, says in one line what to install', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lapidary-empty-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  symlinkSync(process.execPath, join(folder, 'node'))
  const env = { PATH: folder, PROVISIONED_IN: join(folder, 'nothing') }
  const { code, stdout, stderr } = await run([join(ROOT, 'scripts/example.mjs'), 'attach'], env)
  expect(stderr).toMatch(/^provision: a Java 17 development kit is missing \(.*\): install a JDK 17 or later .*\n$/)
  expect([code, stdout]).toEqual([1, ''])
})

test('only what is named is provided', async () => {
  expect(await run([join(ROOT, 'scripts/provision.mjs'), 'dynamodb-local'])).toMatchObject({
    code: 0,
    stdout: '',
    stderr: '',
  })
  const unknown = await run([join(ROOT, 'scripts/provision.mjs'), 'oracle'])
  expect(unknown).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/there is no oracle\nusage: .*dynamodb-local/),
  })
})

test('the browser is the one that is provided, or the path of one, and a bare name is refused as no path', async () => {
  const provision = [join(ROOT, 'scripts/provision.mjs'), 'chromium']
  const named = await run(provision, { CHROMIUM_PATH: 'node' })
  expect(named).toMatchObject({ code: 1, stdout: '' })
  expect(named.stderr).toMatch(
    /^provision: Chromium is missing \(no program has the path "node"\): .*the path of .*\n$/,
  )
  expect(await run(provision, { CHROMIUM_PATH: process.execPath })).toMatchObject({ code: 0, stderr: '' })

  const PROVISIONED_IN = join(tmpdir(), 'lapidary-nothing-is-here')
  const shown = `import { CHROMIUM } from './scripts/chromium.mjs'; process.stdout.write(CHROMIUM)`
  const { stdout } = await run(['--input-type=module', '-e', shown], { CHROMIUM_PATH: undefined, PROVISIONED_IN })
  expect(stdout).toBe(join(PROVISIONED_IN, 'chromium'))
})
