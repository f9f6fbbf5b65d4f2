import { dirname, resolve } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { LayoutName } from 'lapidary'

/** The options of every command. */
export interface CommonOptions {
  readonly config?: string
  readonly collection?: string
  readonly endpoint?: string
  readonly tableName?: string
  readonly dataDir?: string
  readonly layout?: LayoutName
  readonly json?: boolean
}

export const DEFAULT_DATA_DIR = '.lapidary'

/** Adds the options of every command; a flag wins over its environment variable. */
export function addCommonOptions(program: Command): Command {
  return program
    .addOption(new Option('--config <file>', 'the configuration; otherwise lapidary.config.ts, found upward'))
    .addOption(new Option('--collection <name>', 'the collection; not needed when there is one'))
    .addOption(new Option('--endpoint <url>', 'an existing DynamoDB API, or aws').env('DYNAMODB_ENDPOINT'))
    .addOption(new Option('--table-name <name>', 'the table').env('TABLE_NAME'))
    .addOption(
      new Option(
        '--data-dir <folder>',
        `the embedded database, when there is no endpoint; ${DEFAULT_DATA_DIR} beside the configuration when not given`,
      ).env('DATA_DIR'),
    )
    .addOption(
      new Option('--layout <name>', 'how items are put into lists')
        .env('LAYOUT')
        .choices(['indexes', 'power-set', 'native-keys']),
    )
    .addOption(new Option('--json', 'results for machines'))
}

/** Returns the folder of the embedded database. */
export function dataFolder({ dataDir }: CommonOptions, configFile: string): string {
  return dataDir ? resolve(dataDir) : resolve(dirname(configFile), DEFAULT_DATA_DIR)
}

/** Makes the parser of an option with a whole number. */
export function wholeNumber(least: number, most: number = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (!/^-?\d+$/.test(text) || !Number.isSafeInteger(value) || value < least || value > most) {
      const range = most === Number.MAX_SAFE_INTEGER ? `${least} or more` : `from ${least} to ${most}`
      throw new InvalidArgumentError(`It takes a whole number, ${range}.`)
    }
    return value
  }
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Parses a length of time, `1h`, into milliseconds. */
export function duration(text: string): number {
  const [, digits, unit = ''] = /^([1-9]\d{0,5})([smhd])$/.exec(text) ?? []
  if (digits === undefined) throw new InvalidArgumentError('It takes a number with s, m, h or d: 30s, 10m, 1h, 1d.')
  return Number(digits) * (UNIT_MS[unit] ?? 0)
}

/** Wrong usage that commander can't see: the command exits with 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly code = 'usage'
}
