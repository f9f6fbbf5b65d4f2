/** Where an import can go on: everything up to `lines` is settled, and the other counts are those up to there. */
export interface ImportCheckpoint {
  readonly lines: number
  readonly written: number
  readonly replaced: number
  readonly rejected: number
}

/**
 * The beginning of an import.
 *
 * @example
 * ```ts run
 * const { settled } = await importItems(lapidary.comments, [comment], { from: IMPORT_START })
 * ```
 */
export const IMPORT_START: ImportCheckpoint = Object.freeze({ lines: 0, written: 0, replaced: 0, rejected: 0 })

interface BatchMark {
  readonly start: ImportCheckpoint
  state: 'open' | 'done' | 'failed'
}

/**
 * Finds how far an import is settled while its batches finish in any order: up to the first one that is not done. One with
 * a failed write is never done, so that going on from the checkpoint tries it again.
 */
export class SettledLines {
  readonly #marks: BatchMark[] = []

  begin(start: ImportCheckpoint): BatchMark {
    const mark: BatchMark = { start, state: 'open' }
    this.#marks.push(mark)
    return mark
  }

  end(mark: BatchMark, failed: boolean): void {
    mark.state = failed ? 'failed' : 'done'
    while (this.#marks[0]?.state === 'done') this.#marks.shift()
  }

  /** @param current The counts of everything that was read by now. */
  checkpoint(current: ImportCheckpoint): ImportCheckpoint {
    return this.#marks[0]?.start ?? current
  }
}
