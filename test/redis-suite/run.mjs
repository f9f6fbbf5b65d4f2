// Runs Redis's own tests of sorted sets against `lapidary resp`: npm run test:redis -- FOLDER
//
// FOLDER is a checkout of Redis 7.2 (github.com/redis/redis); nothing is fetched here, and the suite writes into its folder tests/tmp. Every block
// counts: those that are expected not to pass are in not-passing.json, each with its reason, and run by themselves, so that what they leave behind
// fails no others.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const UNIT = 'unit/type/zset'
/** The least number of blocks that have to pass. */
const LEAST = 290
const LIMIT_MS = 600_000
const cli = fileURLToPath(new URL('../../packages/cli/bin/lapidary.js', import.meta.url))
/** @type {{ name: string, reason: string, tag?: string, blocks?: number }[]} */
const notPassing = JSON.parse(readFileSync(new URL('./not-passing.json', import.meta.url), 'utf8'))

const suite = resolve(process.argv[2] ?? '')
if (process.argv[2] === undefined) end('say where a checkout of Redis 7.2 is: npm run test:redis -- FOLDER')
for (const file of ['runtest', 'tests/test_helper.tcl', `tests/${UNIT}.tcl`]) {
  if (!existsSync(join(suite, file))) end(`${suite} is no checkout of Redis: it has no ${file}`)
}
if (spawnSync('tclsh', [], { input: 'puts ok' }).error !== undefined)
  end('tclsh is missing: install Tcl, as apt-get install tcl')
if (!existsSync(cli)) end(`${cli} is missing: run npm run build`)

const folder = mkdtempSync(join(tmpdir(), 'lapidary-redis-suite-'))
const server = spawn(process.execPath, [cli, 'resp', '--port', '0', '--data-dir', folder, '--json'], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
const problems = []
try {
  const { port } = await listening()
  const whole = await run(
    port,
    notPassing.filter(({ tag }) => tag === undefined).map(({ name }) => ['--skiptest', name]),
  )
  const counts = compare(whole)
  let failed = 0
  for (const { name, reason, tag, blocks = 1 } of notPassing) {
    if (tag === undefined) {
      const alone = await run(port, [['--only', name]])
      if (alone.ok.length > 0) problems.push(`passes now, take it off the list: ${name}`)
      failed += blocks
    }
    console.log(
      `${tag === undefined ? 'fails  ' : 'not run'}  ${name}${blocks > 1 ? ` (${blocks} blocks)` : ''}: ${reason}`,
    )
  }
  const total = counts.passed + failed + counts.notRun
  console.log(`\n${counts.passed} of ${total} blocks pass, ${failed} fail, ${counts.notRun} are not run`)
  if (counts.passed < LEAST) problems.push(`at least ${LEAST} blocks have to pass`)
} finally {
  server.kill('SIGTERM')
  if (server.exitCode === null && server.signalCode === null) await once(server, 'exit')
  rmSync(folder, { recursive: true })
}
for (const problem of problems) console.error(problem)
process.exitCode = problems.length > 0 ? 1 : 0

/** Waits for the first line of the server, which names its address. */
async function listening() {
  for await (const line of createInterface(server.stdout)) return JSON.parse(line)
  return end('lapidary resp did not start')
}

/** Runs the unit, and returns the names of its blocks by their result. */
async function run(port, options) {
  const tags = [...new Set(notPassing.flatMap(({ tag }) => (tag === undefined ? [] : [`-${tag}`])))].join(' ')
  const fixed = [
    '--host',
    '127.0.0.1',
    '--port',
    String(port),
    '--singledb',
    '--ignore-encoding',
    '--durable',
    '--tags',
    tags,
  ]
  const child = spawn('tclsh', ['tests/test_helper.tcl', ...fixed, '--single', UNIT, ...options.flat()], {
    cwd: suite,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const limit = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS)
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('latin1').on('data', (part) => {
      text += part
    })
  }
  await once(child, 'close')
  clearTimeout(limit)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the suite writes in colors
  const plain = text.replace(/\u001b\[[\d;]*m/g, '')
  const named = (kind, end) =>
    Array.from(plain.matchAll(new RegExp(`^\\[${kind}\\]: (.*)${end}$`, 'gm')), ([, name]) => name)
  return {
    plain,
    ok: named('ok', ' \\(\\d+ ms\\)'),
    failed: named('err', ' in tests/.*'),
    skipped: named('skip', ''),
    notRun: named('ignore', ': Tag: .*'),
    hasEnded: /^\s*\d+ seconds - /m.test(plain),
  }
}

/** Compares the result with the list: every block has to pass or to be on the list, and every block on the list has to be there. */
function compare({ plain, ok, failed, skipped, notRun, hasEnded }) {
  if (!hasEnded) problems.push(`the suite did not end:\n${plain.slice(-2_000)}`)
  for (const name of failed) problems.push(`fails: ${name}`)
  for (const { name, tag, blocks = 1 } of notPassing) {
    const found = (tag === undefined ? skipped : notRun).filter((other) => other === name).length
    if (found !== blocks) problems.push(`${found} blocks, and ${blocks} on the list: ${name}`)
  }
  const listed = new Set(notPassing.map(({ name }) => name))
  for (const name of [...skipped, ...notRun])
    if (!listed.has(name)) problems.push(`is not run, and not on the list: ${name}`)
  return { passed: ok.length, notRun: notRun.length }
}

/** @returns {never} */
function end(message) {
  console.error(message)
  process.exit(1)
}
