import { createHash } from 'node:crypto'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { IMPORT_START, type ImportCheckpoint } from 'lapidary/transfer'
import { makeDataFolder } from 'lapidary-engine'

/** Remembers how far an import of one file into one table came, until it is done. */
export interface ImportJournal {
  readonly start: ImportCheckpoint
  /** Writes at most once a second, unless it is the last. */
  record(checkpoint: ImportCheckpoint, last?: boolean): void
  /** Removes the journal of a finished import: the next one begins at the start. */
  remove(): void
}

const RECORD_EVERY_MS = 1000

/**
 * @param keys The parts that identify an import: the file, the table, the collection. A table that was made anew has another identity, so its
 * import begins at the start.
 */
export function openJournal(folder: string, keys: readonly string[], restart: boolean): ImportJournal {
  const directory = join(folder, 'imports')
  const file = join(directory, `${createHash('sha256').update(keys.join('\0')).digest('hex').slice(0, 32)}.json`)
  let recorded = performance.now()
  return {
    start: restart ? IMPORT_START : readJournal(file),
    record(checkpoint, last = false) {
      const now = performance.now()
      if (!last && now - recorded < RECORD_EVERY_MS) return
      recorded = now
      makeDataFolder(directory)
      writeFileSync(`${file}.${process.pid}`, `${JSON.stringify(checkpoint)}\n`)
      renameSync(`${file}.${process.pid}`, file)
    },
    remove: () => rmSync(file, { force: true }),
  }
}

/** The journal of a source that can't be read twice. */
export const NO_JOURNAL: ImportJournal = { start: IMPORT_START, record: () => {}, remove: () => {} }

function readJournal(file: string): ImportCheckpoint {
  try {
    const found = JSON.parse(readFileSync(file, 'utf8')) as Partial<ImportCheckpoint>
    const checkpoint = { ...IMPORT_START, ...found }
    const { lines, written, replaced, rejected, skipped } = checkpoint
    if ([lines, written, replaced, rejected, skipped].every((count) => Number.isSafeInteger(count))) return checkpoint
  } catch {
    // The journal is absent or torn: the import begins at the start, which is always right.
  }
  return IMPORT_START
}
