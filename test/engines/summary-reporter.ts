import type { Reporter, TestModule } from 'vitest/node'

/** Ends the run with one line for machines: `N passed, N failed`. What could not run counts as failed. */
export class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    let passed = 0
    let failed = errors.length
    for (const module of modules) {
      const before = failed
      for (const test of module.children.allTests()) {
        if (test.result().state === 'passed') passed++
        else failed++
      }
      if (!module.ok() && failed === before) failed++
    }
    process.once('exit', () => process.stdout.write(`${passed} passed, ${failed} failed\n`))
  }
}
