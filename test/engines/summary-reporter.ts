import type { Reporter, TestModule, Vitest } from 'vitest/node'
import { LONG_FILES, recordLongFiles } from './long-files.ts'

const SHOWN = 8
/** A file that takes as long, and is not among the long ones, is in every run. */
const TOO_LONG_MS = 15_000

/**
 * Ends the run with its slowest files, so that growth is noticed, what it left out, its seed, and one line for machines: `N passed, N failed`. A test that could
 * not run counts as failed, and a skipped test fails the run, unless tests were chosen by name.
 */
export class SummaryReporter implements Reporter {
  #chosenByName = false
  #passed = 0
  #failed = 0
  #slowest: readonly string[] = []
  #unlisted: readonly string[] = []
  readonly #seed: string
  readonly #leftOut: number

  /**
   * @param seed The seed that repeats the draws of the run's properties.
   * @param leftOut How many long files the run leaves to other seeds.
   */
  constructor(seed: string, leftOut: number) {
    this.#seed = seed
    this.#leftOut = leftOut
  }

  onInit(vitest: Vitest): void {
    this.#chosenByName = vitest.config.testNamePattern !== undefined
    // Listens from the start, so that the line appears even when the engines do not start.
    process.once('exit', (code) => {
      if (code !== 0 && this.#failed === 0) this.#failed = 1
      if (this.#failed > 0) process.exitCode = 1
      if (this.#slowest.length > 0) process.stdout.write(`slowest files:\n${this.#slowest.join('\n')}\n`)
      for (const file of this.#unlisted)
        process.stdout.write(`${file} is long now: UPDATE_LONG_FILES=1 npm run test:whole lists it\n`)
      if (this.#leftOut > 0)
        process.stdout.write(`${this.#leftOut} long files were left to other seeds; npm run test:whole runs all\n`)
      process.stdout.write(`FC_SEED=${this.#seed}\n`)
      process.stdout.write(`${this.#passed} passed, ${this.#failed} failed\n`)
    })
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    this.#passed = 0
    this.#failed = errors.length
    const times = modules.map((module) => ({ name: module.relativeModuleId, ms: module.diagnostic().duration }))
    this.#slowest = slowestOf(times)
    this.#unlisted = times.flatMap(({ name, ms }) =>
      ms > TOO_LONG_MS && !Object.hasOwn(LONG_FILES, name) ? [name] : [],
    )
    if (process.env.UPDATE_LONG_FILES === '1' && process.env.TEST_FILES === 'all') recordLongFiles(times)
    for (const module of modules) {
      const before = this.#failed
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state === 'passed') this.#passed++
        else if (!(state === 'skipped' && this.#chosenByName)) this.#failed++
      }
      if (!module.ok() && this.#failed === before) this.#failed++
    }
  }
}

interface FileTime {
  readonly name: string
  readonly ms: number
}

/** Returns the files whose tests and hooks took longest, with their share of all files' time. */
function slowestOf(times: readonly FileTime[]): readonly string[] {
  const all = times.reduce((sum, { ms }) => sum + ms, 0)
  return times
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, times.length > SHOWN ? SHOWN : 0)
    .map(({ name, ms }) => `${(ms / 1000).toFixed(1).padStart(8)} s ${Math.round((100 * ms) / all)} %  ${name}`)
}
