import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { createJiti } from 'jiti'
import type { AnyCollection, DerivedOptions, Layout } from 'lapidary'
import { LapidaryError, shown } from 'lapidary'

/** Options of a generator; `comments` is the number of items, whatever they are. */
export interface GenerateOptions {
  readonly products: number
  readonly comments: number
  readonly seed: number
}

/** Makes items up: the same options give the same items. */
export type Generator = (options: GenerateOptions) => Iterable<unknown> | AsyncIterable<unknown>

/** The default export of `lapidary.config.ts`. */
export interface LapidaryConfig {
  /** The table of all the collections; the name of the only collection when not given. */
  readonly tableName?: string
  /** Collections by the name that `--collection` takes. */
  readonly collections: Readonly<Record<string, AnyCollection>>
  /** The generators of `lapidary generate`, by collection. */
  readonly generators?: Readonly<Record<string, Generator>>
  /** The layout; `indexes()` when not given. */
  readonly layout?: Layout
  /** The page index, columns, and projections of your own: commands that follow the stream or mend have to know them. */
  readonly derived?: OwnDerived | ((place: { readonly dataDir: string }) => OwnDerived)
}

/** Derived data as a configuration names it; a function gets the folder of `--data-dir`. */
export type OwnDerived = Pick<DerivedOptions, 'pages' | 'columns' | 'projections'>

/** A configuration and the file it came from. */
export interface LoadedConfig extends LapidaryConfig {
  readonly file: string
}

/**
 * Declares the collections that `npx lapidary` works on.
 *
 * @example
 * ```ts
 * // lapidary.config.ts
 * export default defineConfig({ tableName: 'comments', collections: { comments } })
 * ```
 */
export function defineConfig(config: LapidaryConfig): LapidaryConfig {
  return config
}

const NAMES: { readonly [K in keyof LapidaryConfig]-?: true } = {
  ...{ tableName: true, collections: true, generators: true, layout: true, derived: true },
}
const FILE_NAMES = ['lapidary.config.ts', 'lapidary.config.mts', 'lapidary.config.js', 'lapidary.config.mjs']

/**
 * Loads the configuration from a file, or the nearest one from the folder upwards.
 *
 * @throws {LapidaryError} `bad_request` when there is no configuration or it can't be loaded; `declaration_invalid` when the file holds
 * something else.
 */
export async function loadConfig(folder: string, file?: string): Promise<LoadedConfig> {
  const found = file === undefined ? findUpward(folder) : resolve(folder, file)
  if (found === undefined) {
    throw new LapidaryError(
      'bad_request',
      `there is no ${FILE_NAMES[0]} in ${folder} or above it; write one (docs/cli.md shows how), or name it with --config FILE`,
    )
  }
  if (!existsSync(found)) {
    throw new LapidaryError('bad_request', `the configuration ${found} does not exist; --config takes an existing file`)
  }
  return { ...checkedConfig(await importDefault(found), found), file: found }
}

function findUpward(folder: string): string | undefined {
  for (let current = resolve(folder); ; current = dirname(current)) {
    const file = FILE_NAMES.map((name) => join(current, name)).find((candidate) => existsSync(candidate))
    if (file !== undefined) return file
    if (dirname(current) === current) return undefined
  }
}

async function importDefault(file: string): Promise<unknown> {
  try {
    const loaded = await createJiti(import.meta.url, { interopDefault: false }).import(file)
    return (loaded as { readonly default?: unknown }).default
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
    throw new LapidaryError('bad_request', `the configuration ${file} can't be loaded: ${reason}`, { cause: error })
  }
}

function checkedConfig(config: unknown, file: string): LapidaryConfig {
  const invalid = (what: string): never => {
    throw new LapidaryError('declaration_invalid', `the configuration ${file} ${what}`)
  }
  if (!isRecord(config)) return invalid('has no default export; it needs export default defineConfig({ collections })')
  const unknown = Object.keys(config).find((name) => config[name] !== undefined && !Object.hasOwn(NAMES, name))
  if (unknown !== undefined)
    return invalid(`has ${shown(unknown)}, which is no field; there are ${Object.keys(NAMES).join(', ')}`)
  if (!isRecord(config.collections) || Object.keys(config.collections).length === 0) {
    return invalid('names no collections; it needs at least one, as in defineConfig({ collections: { comments } })')
  }
  for (const [name, collection] of Object.entries(config.collections)) {
    if (!isRecord(collection) || !isRecord(collection.facets) || !isRecord(collection.scope)) {
      return invalid(`has ${name} under collections, which is not made by defineCollection`)
    }
  }
  if (config.tableName !== undefined && typeof config.tableName !== 'string')
    return invalid('has a tableName that is no text')
  for (const [name, generator] of Object.entries(isRecord(config.generators) ? config.generators : {})) {
    if (typeof generator !== 'function') return invalid(`has ${name} under generators, which is not a function`)
  }
  return config as unknown as LapidaryConfig
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !('then' in value)
}
