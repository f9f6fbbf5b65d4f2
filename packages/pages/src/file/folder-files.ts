import { join } from 'node:path'
import type { Disk } from './disk.ts'

/** The files of a store, by their numbers: a base file holds the changes of every log with a lower number. */
export interface FolderFiles {
  /** Ascending. */
  readonly bases: readonly number[]
  /** Ascending. */
  readonly logs: readonly number[]
  /** Names of drafts that a writer left when it ended in the middle. */
  readonly drafts: readonly string[]
}

const DIGITS = 12
type Kind = 'base' | 'log'
const name = (kind: Kind, number: number): string => `${kind}-${String(number).padStart(DIGITS, '0')}`

export const basePath = (folder: string, number: number): string => join(folder, `${name('base', number)}.lpb`)
export const logPath = (folder: string, number: number): string => join(folder, `${name('log', number)}.lpl`)

/** Makes the path of a file that is not whole yet. */
export const draftPath = (folder: string, kind: Kind, number: number): string =>
  join(folder, `${name(kind, number)}.draft`)

export function filesIn(disk: Disk, folder: string): FolderFiles {
  const names = disk.list(folder)
  const numbers = (pattern: RegExp): number[] =>
    names
      .flatMap((file) => pattern.exec(file)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => a - b)
  return {
    bases: numbers(/^base-(\d{12})\.lpb$/),
    logs: numbers(/^log-(\d{12})\.lpl$/),
    drafts: names.filter((file) => /^(base|log)-\d{12}\.draft$/.test(file)).map((file) => join(folder, file)),
  }
}
