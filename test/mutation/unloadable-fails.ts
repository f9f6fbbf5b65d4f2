import type { RunnerTestCase, RunnerTestFile } from 'vitest'
import type { Reporter, TestModule } from 'vitest/node'

/**
 * Adds a failed test to a file that a mutant keeps from loading, or whose preparation fails: Stryker counts only failed tests, and such a file
 * has none.
 */
export class UnloadableFails implements Reporter {
  onTestModuleEnd(module: TestModule): void {
    const { task: file } = module as unknown as { readonly task: RunnerTestFile }
    if (file.result?.state !== 'fail' || [...module.children.allTests('failed')].length > 0) return
    const failed = { ...file, type: 'test', name: 'loads', file, tasks: undefined, suite: undefined }
    file.tasks.push(failed as unknown as RunnerTestCase)
  }
}
