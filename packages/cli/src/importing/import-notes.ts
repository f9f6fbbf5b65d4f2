import type { FileColumns } from './file-columns.ts'
import type { ImportFiles } from './import-files.ts'
import type { FileReading } from './import-flags.ts'
import type { ValueReadings } from './value-readings.ts'

/** What an import did not take, and what it supposed. */
export interface ImportNotes {
  columns(columns: FileColumns): void
  texts(): readonly string[]
  json(): { readonly passedOver: readonly string[]; readonly withoutZone: number }
}

/** Collects the remarks of an import. */
export function createImportNotes(
  { passedOver: files }: ImportFiles,
  { values }: FileReading,
  readings: ValueReadings,
): ImportNotes {
  const passedOver = new Set<string>()
  const unused = new Map<string, string>()
  return {
    columns(columns) {
      for (const column of columns.passedOver) if (column !== '') passedOver.add(column)
      for (const { attribute, column } of columns.unused) unused.set(attribute, column)
    },
    texts() {
      const withoutZone = readings.withoutZone()
      return [
        ...(files.length > 0 ? [`passed over in the folder: ${files.join(', ')}`] : []),
        ...(passedOver.size > 0 ? [`passed over, since no flag maps them: ${[...passedOver].join(', ')}`] : []),
        ...[...unused].map(
          ([attribute, column]) =>
            `the collection has no ${attribute}: the column ${column} is left out; --map 'ATTRIBUTE=${column}' takes it`,
        ),
        ...(withoutZone > 0 && values.zone === undefined
          ? [`times without a zone were read as UTC; --zone NAME reads them in another, as --zone Europe/Berlin`]
          : []),
      ]
    },
    json: () => ({ passedOver: [...passedOver], withoutZone: readings.withoutZone() }),
  }
}
