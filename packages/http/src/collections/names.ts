import { type AnyCollection, LapidaryError, shown } from 'lapidary'

/** The names of a collection in an API's description. */
export interface CollectionNames {
  /** In paths: `orders`. */
  readonly path: string
  /** In the names of requests: `Orders`. */
  readonly many: string
  /** In the names of schemas: `Order`. */
  readonly one: string
}

/** Paths beside the collections. */
const TAKEN: readonly string[] = ['docs', 'healthz', 'metrics', 'openapi.json', 'readyz']
/** Schemas that are of no collection. */
const SCHEMAS: readonly string[] = ['Plan', 'Problem', 'Readiness']

/** @throws {LapidaryError} `declaration_invalid` for a name that can't be part of an address, or is one beside the collections. */
export function collectionNames(collections: Readonly<Record<string, AnyCollection>>): Map<string, CollectionNames> {
  const names = new Map<string, CollectionNames>()
  const taken = new Set(SCHEMAS)
  for (const [path, { name }] of Object.entries(collections)) {
    if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(path) || TAKEN.includes(path))
      throw new LapidaryError(
        'declaration_invalid',
        `the collection ${shown(path)} can't be served under its name; call it something with letters, digits, _ and - that is none of ${TAKEN.join(', ')}`,
      )
    const own = {
      path,
      many: distinct(
        pascal(path),
        [...names.values()].map(({ many }) => many),
      ),
      one: freeName(name, taken),
    }
    for (const schema of schemaNames(own.one)) taken.add(schema)
    names.set(path, own)
  }
  return names
}

/** The schemas of one collection. */
function schemaNames(one: string): readonly string[] {
  return [one, `Listed${one}`, `New${one}`, `Whole${one}`, `${one}Changes`, `${one}Page`, `${one}Counts`, `${one}Board`]
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  const own = pascal(name.toLowerCase())
  for (let i = 1; ; i++) {
    const tried = i === 1 ? own : `${own}${i}`
    if (!schemaNames(tried).some((schema) => taken.has(schema))) return tried
  }
}

function distinct(name: string, others: readonly string[]): string {
  for (let i = 1; ; i++) {
    const tried = i === 1 ? name : `${name}${i}`
    if (!others.includes(tried)) return tried
  }
}

function pascal(text: string): string {
  return text
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('')
}
