import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { LONG_FILES } from './long-files.ts'

const LONGEST = Object.keys(LONG_FILES)

/**
 * Sorts the long files first, the longest of them at the beginning: the run would wait for one of them that began last. Vitest goes by how
 * long files took the last time, which a fresh checkout does not know.
 */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const found = LONGEST.findIndex((name) => moduleId.endsWith(name))
      return found < 0 ? LONGEST.length : found
    }
    return (await super.sort(files)).sort((a, b) => place(a) - place(b))
  }
}
