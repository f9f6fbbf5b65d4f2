import { LapidaryError } from 'lapidary'
import { columnFinder } from './file-columns.ts'
import type { ImportFiles } from './import-files.ts'
import type { RecordsOptions } from './import-records.ts'
import { openRows } from './rows.ts'

/** The files of a folder that a refusal names. */
const MOST_NAMED = 10

/**
 * Looks at the headers of all files of a folder before the first item is written: one that can't be imported would end the import in its middle. A
 * single file, or a pipe, is looked at as it is read.
 *
 * @throws {LapidaryError} `unprocessable`, each file with its reason.
 */
export async function checkHeaders(
  { files }: ImportFiles,
  { collection, mapping, file: options }: Pick<RecordsOptions, 'collection' | 'mapping' | 'file'>,
): Promise<void> {
  if (files.length < 2) return
  const refused: string[] = []
  for (const file of files) {
    const name = file.name ?? 'standard input'
    const opened = await file.open()
    try {
      const { header } = await openRows(opened, options)
      if (header !== undefined) await columnFinder(collection, mapping, name).find(header.columns, true)
    } catch (error) {
      if (!(error instanceof LapidaryError)) throw error
      refused.push(`${name}: ${error.message}`)
    } finally {
      await opened.close()
    }
  }
  if (refused.length === 0) return
  const further = refused.length > MOST_NAMED ? [`and ${refused.length - MOST_NAMED} more`] : []
  const reasons = [...refused.slice(0, MOST_NAMED), ...further].join('\n')
  throw new LapidaryError(
    'unprocessable',
    `nothing was imported, since ${refused.length} of ${files.length} files can't be read:\n${reasons}`,
  )
}
