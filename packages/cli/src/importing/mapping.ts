import { readFileSync } from 'node:fs'
import { shown } from 'lapidary'
import { UsageError } from '../options.ts'
import { PRESETS, type Preset } from './presets.ts'

/** The flags that say which column is which attribute. */
export interface MappingFlags {
  readonly map?: string
  readonly preset?: string
  readonly set: readonly string[]
  readonly default: readonly string[]
  readonly id?: string
  readonly ignoreUnknown?: boolean
}

/** What an import makes of the columns of a file. */
export interface Mapping {
  /** Whether anything was asked for; else a file has the attributes' own names. */
  readonly isAsked: boolean
  readonly preset: Preset | undefined
  /** Columns by attribute. */
  readonly columns: ReadonlyMap<string, string>
  /** Values of every item. */
  readonly constants: ReadonlyMap<string, string>
  /** Values of items that bring none. */
  readonly defaults: ReadonlyMap<string, string>
  /** Attributes or columns whose hash is the id. */
  readonly id: readonly string[] | undefined
  readonly ignoresUnknown: boolean
}

/**
 * Reads the flags.
 *
 * @throws {UsageError} for a flag that says nothing, says it twice, or names a preset that there is none of.
 */
export function mappingOf(flags: MappingFlags): Mapping {
  const { map, preset: name, set, default: given, ignoreUnknown = false } = flags
  const preset = name === undefined ? undefined : knownPreset(name)
  const pairs = map === undefined ? [] : pairsOf('--map', map.includes('=') ? map : mapFile(map))
  const hashed = pairs.find(([, column]) => HASH.test(column))
  if (hashed !== undefined && flags.id !== undefined)
    throw new UsageError('--map and --id both make the id; give one of them')
  const columns = unique(
    '--map',
    pairs.filter((pair) => pair !== hashed),
  )
  const constants = unique(
    '--set',
    set.map((text) => pairOf('--set', text)),
  )
  const both = [...constants.keys()].find((attribute) => columns.has(attribute))
  if (both !== undefined) throw new UsageError(`${both} has a column in --map and a value in --set; give one of them`)
  const id = flags.id ?? hashed?.[1]
  return {
    isAsked: [map, name, flags.id].some((each) => each !== undefined) || set.length + given.length > 0 || ignoreUnknown,
    preset,
    columns,
    constants,
    defaults: unique(
      '--default',
      given.map((text) => pairOf('--default', text)),
    ),
    id: id === undefined ? undefined : hashedNames(id),
    ignoresUnknown: ignoreUnknown || preset !== undefined,
  }
}

const HASH = /^hash\s*\((.*)\)$/s

function hashedNames(text: string): readonly string[] {
  const names = HASH.exec(text)?.[1]
    ?.split(',')
    .map((name) => name.trim())
  if (names === undefined || names.includes('')) {
    throw new UsageError(
      `--id ${shown(text)} is no id of columns, as in --id 'hash(author,createdAt,text)'; a column that has the id is named by --map id=COLUMN`,
    )
  }
  return names
}

function knownPreset(name: string): Preset {
  const preset = Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined
  if (preset !== undefined) return preset
  throw new UsageError(`there is no preset ${shown(name)}; there are ${Object.keys(PRESETS).join(', ')}`)
}

function mapFile(file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/^\ufeff/, '')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new UsageError(
      `--map takes attribute=Column,… or a file of such lines, and ${shown(file)} can't be read (${reason})`,
    )
  }
}

type Pair = readonly [attribute: string, value: string]

/** Reads `attribute=Column` pairs, apart by commas or lines, or a JSON object of them. A column with a comma in it stands in double quotes. */
function pairsOf(flag: string, text: string): readonly Pair[] {
  if (text.trimStart().startsWith('{')) return jsonPairs(flag, text)
  const lines = text.split(/\r?\n/).filter((line) => !/^\s*(#|$)/.test(line))
  return lines.flatMap((line) => splitAtCommas(line).map((pair) => pairOf(flag, pair)))
}

function jsonPairs(flag: string, text: string): readonly Pair[] {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (error) {
    throw new UsageError(`the file of ${flag} is no JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  const pairs = Object.entries(parsed as object)
  const wrong = pairs.find(([, column]) => typeof column !== 'string')
  if (wrong !== undefined)
    throw new UsageError(
      `${flag} has ${shown(wrong[0])} without the name of a column; write {"rating": "Review Score"}`,
    )
  return pairs as readonly Pair[]
}

/** Commas in quotes and in brackets belong to what is there. */
function splitAtCommas(text: string): readonly string[] {
  return [...text.matchAll(/(?:"(?:[^"]|"")*"|\([^)]*\)|[^,"(]|[("])+/g)]
    .map(([pair]) => pair.trim())
    .filter((pair) => pair !== '')
}

function pairOf(flag: string, text: string): Pair {
  const at = text.indexOf('=')
  const [attribute, value] = [text.slice(0, at).trim(), text.slice(at + 1).trim()]
  if (at < 1 || attribute === '' || (value === '' && flag === '--map')) {
    const example = flag === '--map' ? "--map 'rating=Review Score'" : `${flag} language=en`
    throw new UsageError(
      `${flag} ${shown(text)} is not attribute=${flag === '--map' ? 'Column' : 'value'}, as in ${example}`,
    )
  }
  const quoted = /^"((?:[^"]|"")*)"$/.exec(value)?.[1]
  return [attribute, quoted?.replaceAll('""', '"') ?? value]
}

function unique(flag: string, pairs: readonly Pair[]): ReadonlyMap<string, string> {
  const map = new Map(pairs)
  const twice = pairs.find(([attribute], i) => pairs.findIndex(([other]) => other === attribute) !== i)
  if (twice !== undefined) throw new UsageError(`${flag} names ${twice[0]} twice`)
  return map
}
