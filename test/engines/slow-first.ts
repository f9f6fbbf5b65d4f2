import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take longest, longest first: the run would wait for one of them that began last. The run's end shows them. */
const SLOW: readonly string[] = [
  'packages/lapidary/test/stream/histories.test.ts',
  'test/package/package.test.ts',
  'packages/adviser/test/advise-measured.test.ts',
  'packages/cdk/test/judges.test.ts',
  'test/docs/site.test.ts',
  'packages/lapidary/test/stream/faults.test.ts',
  'packages/lapidary/test/recount/pages.test.ts',
  'test/examples/examples.test.ts',
  'apps/comments/test/web/every-reader.test.ts',
  'packages/studio/test/browser.test.ts',
  'apps/comments/test/server.test.ts',
  'packages/cdk/test/comments-stack.test.ts',
  'packages/cdk/test/orders-stack.test.ts',
  'packages/lapidary/test/recount/repair.test.ts',
  'packages/lapidary/test/pages/sorted-lists.test.ts',
  'packages/lapidary/test/conformance/lists.test.ts',
  'test/kill/kill.test.ts',
  'test/docs/examples.test.ts',
  'packages/lapidary/test/pages/numbered-pages.test.ts',
  'packages/lapidary/test/conformance/native-keys.test.ts',
  'packages/lapidary/test/pages/s3/s3-lists.test.ts',
  'packages/lapidary/test/recount/shards.test.ts',
  'apps/comments/test/web/browser.test.ts',
  'packages/lapidary/test/duplicates/duplicates.test.ts',
  'packages/cli/test/derived-data.test.ts',
  'apps/comments/test/openapi.test.ts',
  'packages/lapidary/test/pages/sql/conformance.test.ts',
]

/** Sorts the slowest files first. Vitest goes by how long files took the last time, which a fresh checkout does not know. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const found = SLOW.findIndex((name) => moduleId.endsWith(name))
      return found < 0 ? SLOW.length : found
    }
    return (await super.sort(files)).sort((a, b) => place(a) - place(b))
  }
}
