import type { Reporter, TestModule, Vitest } from 'vitest/node'

/**
 * Ends the run with one line for machines: `N passed, N failed`. What could not run counts as failed, and a skipped
 * test fails the run, unless tests were chosen by name.
 */
export class SummaryReporter implements Reporter {
  #chosenByName = false
  #passed = 0
  #failed = 0

  onInit(vitest: Vitest): void {
    this.#chosenByName = vitest.config.testNamePattern !== undefined
    // Listening from the start: the line appears even when the engines do not start.
    process.once('exit', (code) => {
      if (code !== 0 && this.#failed === 0) this.#failed = 1
      if (this.#failed > 0) process.exitCode = 1
      process.stdout.write(`${this.#passed} passed, ${this.#failed} failed\n`)
    })
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    this.#passed = 0
    this.#failed = errors.length
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
