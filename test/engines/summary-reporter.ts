import type { Reporter, TestModule, Vitest } from 'vitest/node'

const SHOWN = 8

/**
 * Ends the run with its slowest files, so that growth is noticed, its seed, and one line for machines: `N passed, N failed`. A test that could
 * not run counts as failed, and a skipped test fails the run, unless tests were chosen by name.
 */
export class SummaryReporter implements Reporter {
  #chosenByName = false
  #passed = 0
  #failed = 0
  #slowest: readonly string[] = []
  readonly #seed: string

  /** @param seed The seed that repeats the draws of the run's properties. */
  constructor(seed: string) {
    this.#seed = seed
  }

  onInit(vitest: Vitest): void {
    this.#chosenByName = vitest.config.testNamePattern !== undefined
    // Listens from the start, so that the line appears even when the engines do not start.
    process.once('exit', (code) => {
      if (code !== 0 && this.#failed === 0) this.#failed = 1
      if (this.#failed > 0) process.exitCode = 1
      if (this.#slowest.length > 0) process.stdout.write(`slowest files:\n${this.#slowest.join('\n')}\n`)
      process.stdout.write(`FC_SEED=${this.#seed}\n`)
      process.stdout.write(`${this.#passed} passed, ${this.#failed} failed\n`)
    })
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    this.#passed = 0
    this.#failed = errors.length
    this.#slowest = slowestOf(modules)
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

/** Returns the files whose tests and hooks took longest, with their share of all files' time. */
function slowestOf(modules: readonly TestModule[]): readonly string[] {
  const times = modules.map((module) => ({ name: module.relativeModuleId, ms: module.diagnostic().duration }))
  const all = times.reduce((sum, { ms }) => sum + ms, 0)
  return times
    .sort((a, b) => b.ms - a.ms)
    .slice(0, modules.length > SHOWN ? SHOWN : 0)
    .map(({ name, ms }) => `${(ms / 1000).toFixed(1).padStart(8)} s ${Math.round((100 * ms) / all)} %  ${name}`)
}
