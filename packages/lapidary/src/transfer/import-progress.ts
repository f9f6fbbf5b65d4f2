/** Where an import can go on: everything up to `lines` is done, and the other counts are those up to there. */
export interface ImportCheckpoint {
  readonly lines: number
  readonly written: number
  readonly replaced: number
  readonly rejected: number
  /** Items that stayed as they are in the table. */
  readonly skipped: number
}

/**
 * The beginning of an import.
 *
 * @example
 * ```ts run
 * const { checkpoint } = await importItems(lapidary.comments, [comment], { from: IMPORT_START })
 * ```
 */
export const IMPORT_START: ImportCheckpoint = Object.freeze({
  lines: 0,
  written: 0,
  replaced: 0,
  rejected: 0,
  skipped: 0,
})

interface BatchMark {
  start: ImportCheckpoint
  state: 'open' | 'done' | 'failed'
}

/**
 * Finds how far an import is done while its batches finish in any order: up to the first one that is not done. One with
 * a failed write is never done, so that going on from the checkpoint tries it again.
 */
export class FinishedLines {
  readonly #marks: BatchMark[] = []

  begin(start: ImportCheckpoint): BatchMark {
    const mark: BatchMark = { start, state: 'open' }
    this.#marks.push(mark)
    return mark
  }

  /** @param skipped Items of the batch that were taken for written until now. */
  end(mark: BatchMark, failed: boolean, skipped: number): void {
    mark.state = failed ? 'failed' : 'done'
    for (const later of skipped === 0 ? [] : this.#marks.slice(this.#marks.indexOf(mark) + 1)) {
      const { start } = later
      later.start = { ...start, written: start.written - skipped, skipped: start.skipped + skipped }
    }
    while (this.#marks[0]?.state === 'done') this.#marks.shift()
  }

  /** @param current The counts of everything that was read by now. */
  checkpoint(current: ImportCheckpoint): ImportCheckpoint {
    return this.#marks[0]?.start ?? current
  }
}
