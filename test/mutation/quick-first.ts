import { statSync } from 'node:fs'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Begins with the short files: the first test that fails ends a mutant. */
export class QuickFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((a, b) => statSync(a.moduleId).size - statSync(b.moduleId).size)
  }
}
