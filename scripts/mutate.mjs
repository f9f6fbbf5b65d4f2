// Breaks the library's lines one at a time and reports the breaks that no test noticed: npm run mutate -- [--incremental] [--share=25] [--draw=2]
// [FOLDER or FILE]…, a place being planner or planner/price.ts
import { mkdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Stryker } from '@stryker-mutator/core'
import { refuse, scriptArguments } from './script-arguments.mjs'

/**
 * The quick tests that should notice, by folder; those that need a table run on one in memory. A folder that is named here is no part of the one
 * that it is in.
 */
const TESTS = {
  planner: ['src/planner/**/*.test.ts', 'src/executor/top-up.test.ts'],
  executor: ['src/executor/**/*.test.ts'],
  derived: ['src/derived/**/*.test.ts', 'test/derived/projection-laws.test.ts'],
  cursor: ['src/cursor/**/*.test.ts'],
  stream: ['src/stream/**/*.test.ts', 'test/stream/!(catch-up|faults|histories|idle-costs|sigkill).test.ts'],
  recount: [
    'src/recount/**/*.test.ts',
    'test/recount/verified-scopes.test.ts',
    'src/pages/page-inspection.test.ts',
    'src/duplicates/*.test.ts',
  ],
  'pages/page-inspection.ts': ['src/pages/page-inspection.test.ts'],
  duplicates: ['src/duplicates/*.test.ts'],
  writes: ['src/writes/**/*.test.ts', 'test/{writes,write-path,conditional-writes,own-transactions}.test.ts'],
  layouts: ['src/layouts/**/*.test.ts', 'src/planner/plan-query.test.ts', 'test/{native-keys,orders,scopes}.test.ts'],
  pages: ['src/pages/**/*.test.ts', 'test/pages/{sorted-lists,markers,numbered-pages,among-groups}.test.ts'],
  'pages/columns': ['src/pages/columns/!(histories|large-columns).test.ts'],
}
/** Folders whose promises are what a table holds: their tests run on an engine, one that is started for the run. */
const ON_ENGINE = ['writes', 'layouts', 'pages']
const SOURCES = 'packages/lapidary/src'
const GOAL = 85
/** Property tests draw the same in every run, so that a mutant that lives does so again. */
process.env.FC_SEED ??= '1'
// Stryker tests a copy of the repository, without the fetched programs.
process.env.PROVISIONED_IN ??= fileURLToPath(new URL('../.cache', import.meta.url))

const equivalents = JSON.parse(readFileSync(new URL('../test/mutation/equivalents.json', import.meta.url), 'utf8'))
const USAGE =
  'usage: npm run mutate -- [--incremental] [--share 25] [--draw 2] [FOLDER or FILE]…, such as planner or planner/price.ts'
const { values: options, positionals: places } = scriptArguments('mutate', USAGE, {
  options: { incremental: { type: 'boolean' }, share: { type: 'string' }, draw: { type: 'string' } },
  allowPositionals: true,
})
/** Keeps the results of an earlier run for lines and tests that are the same since. */
const incremental = options.incremental === true
/** How many of a hundred mutants are tried: drawn by their text and place, so that the same are drawn again. */
const share = Number(options.share ?? 100)
if (!(share > 0 && share <= 100)) refuse('mutate', `--share is ${options.share}; it goes from above 0 to 100`, USAGE)
/** Another value draws other mutants. */
const draw = options.draw ?? ''
for (const place of places.length === 0 ? Object.keys(TESTS) : places) await mutate(place)

async function mutate(place) {
  const folders = Object.keys(TESTS)
  const within = folders.filter((each) => `${place}/`.startsWith(`${each}/`))
  // The nearest: a folder that is named is no part of the one that it is in.
  const folder = within.toSorted((a, b) => a.length - b.length).at(-1)
  if (folder === undefined)
    refuse('mutate', `there are no tests of ${place}; there are of ${folders.join(', ')}`, USAGE)
  const others = folders.filter((each) => each.startsWith(`${place}/`)).map((each) => `!${SOURCES}/${each}/**`)
  process.env.MUTATION_TESTS = JSON.stringify(TESTS[folder].map((pattern) => `packages/lapidary/${pattern}`))
  process.env.MUTATION_TABLE = ON_ENGINE.includes(folder) ? 'engine' : 'memory'
  process.env.MUTATION_SHARE = String(share)
  process.env.MUTATION_DRAW = draw
  mkdirSync('.cache/mutation', { recursive: true })
  const file = `.cache/mutation/${place.replaceAll('/', '-')}`
  const whole = place.endsWith('.ts') ? place : `${place}/**/*.ts`
  const startedAt = Date.now()
  await new Stryker({
    mutate: [`${SOURCES}/${whole}`, `!${SOURCES}/**/*.test.ts`, ...others],
    jsonReporter: { fileName: `${file}.json` },
    checkers: share < 100 ? ['share'] : [],
    incremental,
    incrementalFile: `${file}.incremental.json`,
  }).runMutationTest()
  report(place, JSON.parse(readFileSync(`${file}.json`, 'utf8')), Math.round((Date.now() - startedAt) / 60_000))
}

function report(place, { files }, minutes) {
  const mutants = Object.entries(files).flatMap(([path, { source, mutants }]) => {
    const file = path.slice(`${SOURCES}/`.length)
    const lines = source.split('\n')
    return mutants.map((mutant) => ({ ...mutant, file, code: lines[mutant.location.start.line - 1].trim() }))
  })
  const living = mutants.filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
  const counted = mutants.filter(({ status }) => status !== 'Ignored' && status !== 'CompileError')
  const unknown = living.filter((mutant) => !equivalents.some((known) => isSame(known, mutant)))
  for (const { file, location, code, replacement, status, mutatorName } of unknown) {
    const change = replacement.replace(/\s+/g, ' ').slice(0, 160)
    console.log(
      `${file}:${location.start.line}:${location.start.column} ${status} ${mutatorName}\n  ${code}\n  ${change}`,
    )
  }
  const killed = counted.length - living.length
  const score = (100 * killed) / counted.length
  const equal = living.length - unknown.length
  const drawn = share < 100 ? `, drawn from ${mutants.length},` : ''
  console.log(
    `mutate: ${place}: ${killed} of ${counted.length} mutants${drawn} killed, ${score.toFixed(1)} %; ${equal} living ones are equivalent, ${unknown.length} are not known to be; ${minutes} minutes`,
  )
  if (score < GOAL) process.exitCode = 1
}

function isSame({ file, code, replacements }, mutant) {
  return file === mutant.file && code === mutant.code && replacements.includes(mutant.replacement)
}
