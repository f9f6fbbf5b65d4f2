import { statSync } from 'node:fs'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Begins with the tests beside the source, and with short files: the first test that fails ends a mutant. */
export class QuickFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isBeside = ({ moduleId }: TestSpecification): number => (moduleId.includes('/src/') ? 0 : 1)
    return files.toSorted((a, b) => isBeside(a) - isBeside(b) || statSync(a.moduleId).size - statSync(b.moduleId).size)
  }
}
