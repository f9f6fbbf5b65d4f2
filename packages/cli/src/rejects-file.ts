import { closeSync, openSync, writeSync } from 'node:fs'

/** Keeps refused lines as they were, so that the user can mend and import them. */
export interface RejectsFile {
  /** Writes the first line of a CSV file, so that the rejects are a CSV file too. */
  header(raw: Buffer): void
  add(raw: Buffer | undefined): void
  close(): void
}

const NEWLINE = Buffer.from('\n')

/** @param goOn Tells whether an interrupted import goes on, so that its earlier rejects stay. */
export function openRejects(file: string | undefined, goOn: boolean): RejectsFile {
  if (file === undefined) return { header: () => {}, add: () => {}, close: () => {} }
  const descriptor = openSync(file, goOn ? 'a' : 'w')
  const line = (raw: Buffer): void => {
    writeSync(descriptor, Buffer.concat([raw, NEWLINE]))
  }
  return {
    header: (raw) => {
      if (!goOn) line(raw)
    },
    add: (raw) => {
      if (raw !== undefined) line(raw)
    },
    close: () => closeSync(descriptor),
  }
}
