import { extname } from 'node:path'

/** How items are written in a file. */
export const FILE_FORMATS = ['csv', 'tsv', 'jsonl', 'json'] as const
export type FileFormat = (typeof FILE_FORMATS)[number]

const BY_ENDING: Readonly<Record<string, FileFormat>> = { '.jsonl': 'jsonl', '.ndjson': 'jsonl', '.tsv': 'tsv' }

/** Finds the format by the name and the first bytes of a file; `{` and `[` begin JSON, whatever the name says beside `.csv`. */
export function formatOf(name: string | undefined, head: string): FileFormat {
  const ending = extname(name ?? '').toLowerCase()
  const known = BY_ENDING[ending]
  if (known !== undefined) return known
  const begin = head.trimStart()
  if (ending !== '.csv') {
    if (/^\[\s*(\{|\]\s*$)/.test(begin) || (ending === '.json' && isObjectWithList(begin))) return 'json'
    if (begin.startsWith('{') || ending === '.json') return 'jsonl'
    if (ending === '' && separatorIn(head) === undefined) return 'jsonl'
  }
  return separatorIn(head) === '\t' ? 'tsv' : 'csv'
}

/** Tells whether a file is one object, as an API answers, and not an object a line. */
function isObjectWithList(begin: string): boolean {
  const [first = '', ...rest] = begin.split('\n')
  try {
    return Object.values(JSON.parse(first)).some(Array.isArray) && rest.every((line) => line.trim() === '')
  } catch {
    return /:\s*\[\s*\{/.test(begin)
  }
}

const SEPARATORS = [',', ';', '\t', '|']

/** Finds what separates the columns: the one of a few characters that the header has most of, outside of quotes. */
export function separatorIn(head: string): string | undefined {
  const header = /^\s*((?:"(?:[^"]|"")*"|[^"\r\n])*)/.exec(head)?.[1]?.replaceAll(/"(?:[^"]|"")*"/g, '') ?? ''
  const counts = SEPARATORS.map((separator) => header.split(separator).length - 1)
  const most = Math.max(...counts)
  return most === 0 ? undefined : SEPARATORS[counts.indexOf(most)]
}
