import {
  anyOf,
  type Collection,
  defineCollection,
  eachOf,
  hierarchy,
  indexes,
  LapidaryError,
  type Layout,
  lookup,
  nativeKeys,
  oneOf,
  powerSet,
  type TableDefinition,
} from 'lapidary'
import { declaredTable } from 'lapidary/internal'
import type { Problem } from './answer.ts'
import { z } from './schema-names.ts'

/** What a program declares and asks. */
export interface DeclaredProgram {
  readonly collections: Readonly<Record<string, Collection>>
  readonly table: TableDefinition
  readonly layout: Layout
  readonly counts: boolean
  readonly columns: boolean
  readonly maxSources: number | undefined
  readonly roundPrice: number | undefined
  /** Undefined where the query could not be read. */
  readonly asked: Asked | undefined
  readonly problem: Problem | undefined
}

/** A list that is asked for. */
export interface Asked {
  /** The collection's name in code. */
  readonly collection: string
  /** What `list` takes. */
  readonly query: object
}

/** Thrown for what a person can mend. */
export class ProgramProblem extends Error {
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem.message)
    this.problem = problem
  }
}

type Options = Parameters<typeof declaredTable>[0]

/**
 * Runs the text of a declaration and of a query, and returns what they declare and ask. The text runs with the rights of this thread.
 *
 * @throws {ProgramProblem} For a declaration that can't be run.
 */
export async function declaredProgram(declaration: string, query: string): Promise<DeclaredProgram> {
  const defined: Collection[] = []
  let created: Options | undefined
  const asked = new WeakSet<object>()
  const names = {
    ...NAMES,
    defineCollection(options: never) {
      const collection = defineCollection(options) as unknown as Collection
      defined.push(collection)
      return collection
    },
    createLapidary(options: Options) {
      if (typeof options?.collections !== 'object')
        throw new LapidaryError('declaration_invalid', 'createLapidary has no collections; say collections: { orders }')
      const { tableName = 'table', ...given } = options
      created = { ...given, tableName }
      return asking(Object.keys(options.collections), asked)
    },
  }
  await run(declaration, names, 'declaration')
  const [only, another] = defined
  if (only === undefined)
    throw new ProgramProblem({ in: 'declaration', message: 'nothing is declared; write a defineCollection({ … })' })
  if (created === undefined && another !== undefined) {
    const message =
      'several collections are declared and none is named; end with createLapidary({ collections: { … } })'
    throw new ProgramProblem({ in: 'declaration', message })
  }
  const options = created ?? ({ collections: { items: only }, tableName: 'table' } as unknown as Options)
  const { collections, layout = indexes(), derived = {}, maxSources, roundPrice } = options
  const table = declaredTable(options)
  const declared = {
    ...{ collections: collections as Readonly<Record<string, Collection>>, table, layout, maxSources, roundPrice },
    ...{ counts: derived.counts === true, columns: derived.columns === true },
  }
  try {
    // The query may use what the declaration has declared, so it runs at its end.
    const code = `${declaration}\n;return (\n${query.trim().replace(/[;\s]+$/, '')}\n)`
    const given = await run(code, names, 'query', declaration)
    return { ...declared, asked: askedOf(given, asked, Object.keys(collections)), problem: undefined }
  } catch (error) {
    return { ...declared, asked: undefined, problem: problemOf(error, 'query') }
  }
}

/** Returns what is wrong, of any error. */
export function problemOf(error: unknown, where: Problem['in'], line?: number): Problem {
  if (error instanceof ProgramProblem) return error.problem
  const at = line === undefined ? {} : { line }
  if (error instanceof LapidaryError) {
    return { in: where, code: error.code, message: error.message, ...at }
  }
  return { in: where, message: error instanceof Error ? `${error.name}: ${error.message}` : String(error), ...at }
}

const FILE = 'playground-program.js'
/** The lines that an engine puts before the body of a function, and the one that makes it asynchronous. */
const LINES_BEFORE = 3

async function run(
  code: string,
  names: Readonly<Record<string, unknown>>,
  where: 'declaration' | 'query',
  before = '',
): Promise<unknown> {
  try {
    const body = `"use strict";return (async () => {\n${code}\n})()\n//# sourceURL=${FILE}`
    return await new Function(...Object.keys(names), body)(...Object.values(names))
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? '') : ''
    const found = Number(new RegExp(`${FILE}:(\\d+)`).exec(text)?.[1]) - LINES_BEFORE
    const own = where === 'query' ? found - before.split('\n').length - 1 : found
    throw new ProgramProblem(problemOf(error, where, own >= 1 ? own : undefined))
  }
}

/** An answer of `list`, which has asked and never reads. */
interface Marked extends Asked {}

/** Returns clients of collections that remember what they are asked. */
function asking(names: readonly string[], asked: WeakSet<object>): object {
  const mark = (collection: string, query: unknown): Marked => {
    const marked = { collection, query: (query ?? {}) as object }
    asked.add(marked)
    return marked
  }
  const clients = names.map((collection) => {
    const list = (query: unknown): Marked => mark(collection, query)
    return [collection, { list, explain: list, plan: list, iterate: list }] as const
  })
  return Object.fromEntries(clients)
}

function askedOf(given: unknown, asked: WeakSet<object>, names: readonly string[]): Asked {
  if (typeof given === 'object' && given !== null) {
    if (asked.has(given)) return given as Marked
    const [only, another] = names
    // A client has `list` as well.
    if (only !== undefined && another === undefined && !('list' in given)) return { collection: only, query: given }
  }
  const message = `ask a list: lapidary.${names[0]}.list({ scope: '42' })`
  throw new ProgramProblem({ in: 'query', message })
}

/** Stands for a part of the library that keeps or reads something: plans do without it. */
const nothing = (): undefined => undefined

/** Names that a declaration may use without importing them. */
const NAMES: Readonly<Record<string, unknown>> = {
  ...{ anyOf, eachOf, hierarchy, indexes, lookup, nativeKeys, oneOf, powerSet, z },
  ...{ client: undefined, cursorSecret: 'not used here', cursor: undefined, tableName: 'table', process: { env: {} } },
  ...{ commentSchema: undefined, orderSchema: undefined },
  ...{ pageMarkers: nothing, segments: nothing, packed: nothing, deflated: nothing },
}
