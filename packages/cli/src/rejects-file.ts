import { closeSync, openSync, writeSync } from 'node:fs'

/** Keeps refused lines as they were, so that they can be mended and imported. */
export interface RejectsFile {
  /** The first line of a CSV file, so that the rejects are one too. */
  header(raw: Buffer): void
  add(raw: Buffer | undefined): void
  close(): void
}

const NEWLINE = Buffer.from('\n')

/** @param goOn Whether an interrupted import goes on, so that what it refused stays. */
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
