import type { RunnerTestCase, RunnerTestFile } from 'vitest'
import type { Reporter, TestModule } from 'vitest/node'

/**
 * Stryker counts failed tests alone: a file that a mutant keeps from loading, or whose preparation fails, has none, so it gets one that
 * failed.
 */
export class UnloadableFails implements Reporter {
  onTestModuleEnd(module: TestModule): void {
    const { task: file } = module as unknown as { readonly task: RunnerTestFile }
    if (file.result?.state !== 'fail' || [...module.children.allTests('failed')].length > 0) return
    const failed = { ...file, type: 'test', name: 'loads', file, tasks: undefined, suite: undefined }
    file.tasks.push(failed as unknown as RunnerTestCase)
  }
}
