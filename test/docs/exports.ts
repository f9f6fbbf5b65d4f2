import { dirname, join, normalize } from 'node:path'
import { entriesOf, isInternal, PACKAGES } from '../architecture/packages.ts'
import { type Source, sources } from '../architecture/sources.ts'

/** A name that an entry of a package exports, with its comment. */
export interface Exported {
  readonly name: string
  readonly kind: 'value' | 'type'
  /** The path of its file: `packages/lapidary/src/model/facet.ts`. */
  readonly path: string
  /** The first sentence of its comment, on one line; empty where there is none. */
  readonly sentence: string
  readonly hasExample: boolean
}

const SOURCES: ReadonlyMap<string, string> = new Map(PACKAGES.flatMap((name) => entriesOf(`packages/${name}`)))
/** The entries of the packages, with the file of their exports. */
export const INDEXES: Readonly<Record<string, string>> = Object.fromEntries(
  [...SOURCES].filter(([entry]) => !isInternal(entry)),
)

/** Writes a README's lists of exports anew, each between two comments. */
export function withExportLists(readme: string): string {
  return readme.replace(
    /(<!-- exports:(\S+) -->\n)[\s\S]*?(<!-- \/exports -->)/g,
    (_, begin: string, entry: string, end: string) => `${begin}${exportList(INDEXES[entry] ?? entry)}\n${end}`,
  )
}

function exportList(index: string): string {
  const all = exportsOfEntry(index)
  const rows = (kind: Exported['kind']): string =>
    all
      .filter((exported) => exported.kind === kind)
      .map(({ name, sentence }) => `| \`${name}\` | ${sentence.replaceAll('|', '\\|')} |`)
      .join('\n')
  const types = rows('type')
  const table = (title: string, body: string): string => `| ${title} | what it is |\n|---|---|\n${body}\n`
  return `\n${table('value', rows('value'))}${types === '' ? '' : `\n${table('type', types)}`}`
}

const EXPORT = /^export (?:type )?\{([^}]*)\} from '([^']+)'/gm
const files = new Map<string, Source>()

/** Returns everything that an entry's index file exports by name, in the order of names, values first. */
export function exportsOfEntry(index: string): readonly Exported[] {
  const { text } = source(index)
  const passedOn = [...text.matchAll(EXPORT)].flatMap(([, names = '', from = '']) =>
    names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '')
      .map((name) => passedOnBy(index, name.replace(/^type /, ''), from)),
  )
  const own = [...text.matchAll(DECLARED)].map(([, , name = '']) => described(name, index))
  return [...passedOn, ...own].toSorted((a, b) => a.kind.localeCompare(b.kind) * -1 || (a.name < b.name ? -1 : 1))
}

/** Something that an index has from a file beside it, or from another package. */
function passedOnBy(index: string, name: string, from: string): Exported {
  if (from.startsWith('.')) return described(name, normalize(join(dirname(index), from)))
  const entry = SOURCES.get(from) ?? from
  for (const [, names = '', file = ''] of source(entry).text.matchAll(EXPORT)) {
    if (new RegExp(`\\b${name}\\b`).test(names)) return passedOnBy(entry, name, file)
  }
  throw new Error(`${from} does not export ${name}`)
}

const DECLARED = /^export (?:async )?(function\*?|const|class|interface|type) (\w+)/gm

function described(name: string, path: string): Exported {
  const { text } = source(path)
  const declaration = new RegExp(`^export (?:async )?(function\\*?|const|class|interface|type) ${name}\\b`, 'm').exec(
    text,
  )
  if (declaration === null) throw new Error(`${path} does not declare ${name}`)
  const before = text.slice(0, declaration.index)
  const comment = before.endsWith('*/\n') ? before.slice(before.lastIndexOf('/**')) : ''
  return {
    name,
    kind: declaration[1] === 'interface' || declaration[1] === 'type' ? 'type' : 'value',
    path,
    sentence: firstSentence(comment),
    hasExample: comment.includes('@example'),
  }
}

function firstSentence(comment: string): string {
  const text = comment
    .replace(/^\/\*\*|\*\/\s*$/g, '')
    .replace(/^ *\* ?/gm, '')
    .trim()
    .split(/\n\n|\n@/)[0]
    ?.replace(/\{@link (\w+)\}/g, '`$1`')
    .replace(/\s+/g, ' ')
  return /^.*?\.(?= [A-Z`]|$)/.exec(text ?? '')?.[0] ?? text ?? ''
}

function source(path: string): Source {
  const known = files.get(path) ?? sources([path])[0]
  if (known === undefined) throw new Error(`${path} is not there`)
  files.set(path, known)
  return known
}
