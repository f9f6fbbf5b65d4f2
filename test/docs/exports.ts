import { dirname, join, normalize } from 'node:path'
import { type Source, sources } from '../architecture/sources.ts'

/** What an entry of a package exports, and what its comment says. */
export interface Exported {
  readonly name: string
  readonly kind: 'value' | 'type'
  /** `packages/lapidary/src/model/facet.ts` */
  readonly path: string
  /** The first sentence of its comment, on one line; empty where there is none. */
  readonly sentence: string
  readonly hasExample: boolean
}

/** The entries of the packages, with the file that says what they export. */
export const INDEXES: Readonly<Record<string, string>> = {
  lapidary: 'packages/lapidary/src/index.ts',
  'lapidary/attach': 'packages/lapidary/src/attach/index.ts',
  'lapidary/advisor': 'packages/lapidary/src/advisor/index.ts',
  'lapidary/codecs': 'packages/lapidary/src/codecs/index.ts',
  'lapidary/layouts': 'packages/lapidary/src/layouts/index.ts',
  'lapidary/reader': 'packages/lapidary/src/read/index.ts',
  'lapidary/schema': 'packages/lapidary/src/schema/index.ts',
  'lapidary/transfer': 'packages/lapidary/src/transfer/index.ts',
  'lapidary/transfer/csv': 'packages/lapidary/src/transfer/csv/index.ts',
  'lapidary/page-index/file': 'packages/lapidary/src/pages/backends/file/index.ts',
  'lapidary/page-index/s3': 'packages/lapidary/src/pages/backends/s3/index.ts',
  'lapidary/testing': 'packages/lapidary/src/testing/index.ts',
  'lapidary-engine': 'packages/engine/src/index.ts',
  'lapidary-resp': 'packages/resp/src/index.ts',
  'lapidary-cli': 'packages/cli/src/index.ts',
}

/** A README with its lists of exports, each between two comments, as they are now. */
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
  const table = (title: string, body: string): string => `| ${title} | |\n|---|---|\n${body}\n`
  return `\n${table('value', rows('value'))}${types === '' ? '' : `\n${table('type', types)}`}`
}

const EXPORT = /^export (?:type )?\{([^}]*)\} from '([^']+)'/gm
const files = new Map<string, Source>()

/** Everything that an entry's index file exports by name, in the order of names, values first. */
export function exportsOfEntry(index: string): readonly Exported[] {
  const { text } = source(index)
  const passedOn = [...text.matchAll(EXPORT)].flatMap(([, names = '', from = '']) =>
    names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '')
      .map((name) => described(name.replace(/^type /, ''), normalize(join(dirname(index), from)))),
  )
  const own = [...text.matchAll(DECLARED)].map(([, , name = '']) => described(name, index))
  return [...passedOn, ...own].toSorted((a, b) => a.kind.localeCompare(b.kind) * -1 || (a.name < b.name ? -1 : 1))
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
