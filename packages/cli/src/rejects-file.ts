import { closeSync, openSync, writeSync } from 'node:fs'

/** Keeps refused lines as they were, so that the user can mend and import them. */
export interface RejectsFile {
  /**
   * Begins with a file: its first line, where it is CSV, so that the rejects are a CSV file too; and a mark where it was in another encoding, since
   * rejects are UTF-8.
   */
  begin(file: { readonly encoding: string; readonly header: { readonly raw: Buffer } | undefined }): void
  add(raw: Buffer | undefined): void
  close(): void
}

const NEWLINE = Buffer.from('\n')
const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf])

/** @param goOn Tells whether an interrupted import goes on, so that its earlier rejects stay. */
export function openRejects(file: string | undefined, goOn: boolean): RejectsFile {
  if (file === undefined) return { begin: () => {}, add: () => {}, close: () => {} }
  const descriptor = openSync(file, goOn ? 'a' : 'w')
  let isEmpty = !goOn
  let last: Buffer | undefined
  const line = (raw: Buffer): void => {
    isEmpty = false
    writeSync(descriptor, Buffer.concat([raw, NEWLINE]))
  }
  return {
    begin({ encoding, header }) {
      if (isEmpty && encoding !== 'utf-8') writeSync(descriptor, UTF8_MARK)
      if (header === undefined) return
      if (goOn && last === undefined) last = header.raw
      if (last?.equals(header.raw) !== true) line(header.raw)
      last = header.raw
    },
    add: (raw) => {
      if (raw !== undefined) line(raw)
    },
    close: () => closeSync(descriptor),
  }
}
