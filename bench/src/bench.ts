import type { Comment } from './comments.ts'
import type { Random } from './random.ts'
import type { Report } from './report.ts'
import type { CommentsTable } from './stored-comments.ts'

/** The comments of one product, stored once and read by every bench. */
export interface StoredComments extends CommentsTable {
  readonly comments: readonly Comment[]
}

/** The parts that a bench gets. */
export interface BenchContext {
  readonly random: Random
  readonly seed: number
  /** Less data and fewer samples: shows that the bench runs, not what it would find. */
  readonly quick: boolean
  /** How many requests a soak or an attack sends; undefined = its default. */
  readonly requests: number | undefined
  /** After which a soak or an attack ends with the requests that it has sent by then; undefined = never. */
  readonly minutes: number | undefined
  /** The shared data, loaded on first use. */
  readonly stored: () => Promise<StoredComments>
}

/** Measures one thing. */
export type Bench = (context: BenchContext) => Promise<Report>
