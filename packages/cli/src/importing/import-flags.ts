import { type Command, Option } from 'commander'
import { shown } from 'lapidary'
import { UsageError } from '../options.ts'
import { knownEncoding } from './decoded.ts'
import { FILE_FORMATS, type FileFormat } from './file-format.ts'
import { type Mapping, type MappingFlags, mappingOf } from './mapping.ts'
import { PRESETS } from './presets.ts'
import type { FileOptions } from './rows.ts'
import { knownDates, knownZone } from './time-flags.ts'
import type { ReadingOptions } from './value-readings.ts'

/** The flags that say what a file looks like and what becomes of it. */
export interface FileFlags extends MappingFlags {
  readonly format?: FileFormat
  readonly encoding?: string
  readonly separator?: string
  readonly quotes: boolean
  readonly dates: readonly string[]
  readonly zone?: string
  readonly dedupe?: boolean
}

/** What the flags say, checked. */
export interface FileReading {
  readonly file: FileOptions
  readonly mapping: Mapping
  readonly values: ReadingOptions
  readonly dedupe: boolean
  /** The same text for the same reading; empty where nothing was asked. */
  readonly key: string
}

/** Adds the flags to the command. */
export function addFileOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--format <format>', 'what the file is, where its content does not say it').choices(FILE_FORMATS),
    )
    .option('--encoding <name>', 'the encoding of the file: utf-16le, windows-1252, shift_jis, …; UTF-8 when not given')
    .option('--separator <character>', 'what is between the columns of CSV; found in the header when not given')
    .option('--no-quotes', 'a double quote in CSV is text like any other')
    .option(
      '--map <columns>',
      "which column is which attribute, as 'rating=Review Score,text=Review Content', or a file of such lines",
    )
    .addOption(new Option('--preset <name>', 'the columns of an export').choices(Object.keys(PRESETS)))
    .option('--set <attribute=value>', 'a value of every item; can be repeated', collected, [])
    .option('--default <attribute=value>', 'a value of items that bring none; can be repeated', collected, [])
    .option('--id <hash>', "an id of columns, as 'hash(author,createdAt,text)'")
    .option('--ignore-unknown', 'pass over columns that no flag maps')
    .option('--dates <format>', 'how dates are written, as MM/dd/yyyy; can be repeated', collected, [])
    .option('--zone <name>', 'the time zone of times that say none, as Europe/Berlin; UTC when not given')
    .option('--dedupe', 'equal items without an id are one')
}

/** @throws {UsageError} for a flag that says nothing, or what there is not. */
export function fileReading(flags: FileFlags): FileReading {
  const { format, separator, dates, zone, dedupe = false } = flags
  const asked = mappingOf(flags)
  const { preset } = asked
  if (separator !== undefined && (format === 'json' || format === 'jsonl'))
    throw new UsageError(`--separator is of CSV, and --format says ${format}`)
  const file: FileOptions = {
    ...(format === undefined ? {} : { format }),
    ...(flags.encoding === undefined ? {} : { encoding: knownEncoding(flags.encoding) }),
    ...(separator === undefined ? {} : { separator: knownSeparator(separator) }),
    ...(flags.quotes ? {} : { quotes: false }),
    ...(preset?.quotesInTsv === undefined ? {} : { quotesInTsv: preset.quotesInTsv }),
  }
  const hasTimes = dates.length > 0 || zone !== undefined
  const mapping = { ...asked, isAsked: asked.isAsked || hasTimes }
  const values: ReadingOptions = {
    dates: dates.map(knownDates),
    zone: zone === undefined ? undefined : knownZone(zone),
    timesFirst: hasTimes || preset !== undefined,
    languagesFirst: preset !== undefined || asked.columns.size > 0,
  }
  const isAsked = mapping.isAsked || dedupe || Object.keys(file).length > 0
  const { columns, constants, defaults } = mapping
  const maps = [columns, constants, defaults].map((map) => [...map].sort(([a], [b]) => (a < b ? -1 : 1)))
  const parts = [file, maps, mapping.id, flags.preset, mapping.ignoresUnknown, values, dedupe]
  return { file, mapping, values, dedupe, key: isAsked ? JSON.stringify(parts) : '' }
}

const SEPARATORS: Readonly<Record<string, string>> = {
  comma: ',',
  semicolon: ';',
  tab: '\t',
  '\\t': '\t',
  pipe: '|',
  space: ' ',
}

function knownSeparator(given: string): string {
  const separator = SEPARATORS[given.toLowerCase()] ?? given
  if ([...separator].length === 1 && !/["\r\n]/.test(separator)) return separator
  throw new UsageError(
    `--separator ${shown(given)} is not one character, as ';', or a word of comma, semicolon, tab, pipe, space`,
  )
}

function collected(value: string, earlier: readonly string[]): readonly string[] {
  return [...earlier, value]
}
