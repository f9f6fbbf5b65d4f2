import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'

/** Makes a folder for each test of a file; it is removed with the test, after all that the file itself ends. */
export function useTemporaryFolder(): { readonly path: string } {
  const folder = { path: '' }
  beforeEach(() => {
    folder.path = mkdtempSync(join(tmpdir(), 'lapidary-test-'))
  })
  afterEach(() => rmSync(folder.path, { recursive: true }))
  return folder
}
