import { describe, expect, test } from 'vitest'
import { entriesOf, INTERNAL, PACKAGES } from './packages.ts'
import { isTest, type Source, sources, target } from './sources.ts'

const LIBRARY = 'packages/lapidary/src/'

/** The rank of each folder of the library; imports point to lower ranks, or stay within the folder. */
const RANKS: Readonly<Record<string, number>> = {
  model: 0,
  layouts: 1,
  codecs: 1,
  cursor: 1,
  planner: 2,
  table: 2,
  executor: 3,
  schema: 3,
  writes: 4,
  derived: 4,
  duplicates: 5,
  stream: 5,
  pages: 5,
  read: 6,
  operations: 7,
  recount: 8,
  transfer: 9,
  database: 10,
  // The files that put it all together: lapidary.ts, collection-client.ts, index.ts.
  '.': 11,
  attach: 12,
}

const ENTRIES: readonly string[] = PACKAGES.flatMap((name) => entriesOf(`packages/${name}`)).flatMap(([entry]) =>
  entry === INTERNAL ? [] : entry,
)
/** Packages that are built from the library's own parts, each of exactly this version of it. */
const OF_PARTS = ['packages/adviser', 'packages/pages', 'packages/testing']

/** Tests with code that an author outside of the library would write. */
const OUTSIDERS: readonly string[] = [
  'packages/lapidary/test/conformance/many-entries.ts',
  'packages/lapidary/test/derived/duplicates-projection.ts',
  'packages/lapidary/test/derived/ranges-projection.ts',
  'packages/lapidary/test/derived/notes.ts',
  'packages/lapidary/test/derived/own-projections.test.ts',
]

const library = sources([LIBRARY]).filter((source) => !isTest(source))

function folder(path: string): string {
  const [first, ...rest] = path.slice(LIBRARY.length).split('/')
  return rest.length === 0 ? '.' : (first ?? '.')
}

const relative = (source: Source): readonly string[] => source.imports.filter((specifier) => specifier.startsWith('.'))

describe('the library', () => {
  test('has only folders that have a place in the house', () => {
    expect(library.length).toBeGreaterThan(40)
    expect([...new Set(library.map(({ path }) => folder(path)))].filter((name) => RANKS[name] === undefined)).toEqual(
      [],
    )
  })

  test('imports point downward', () => {
    const upward = library.flatMap((source) =>
      relative(source)
        .map((specifier) => target(source, specifier))
        .filter((path) => folder(path) !== folder(source.path))
        .filter((path) => (RANKS[folder(path)] ?? 99) >= (RANKS[folder(source.path)] ?? -1))
        .map((path) => `${source.path} imports ${path}`),
    )
    expect(upward).toEqual([])
  })

  test('no file imports itself by way of others', () => {
    expect(cycles(library)).toEqual([])
  })

  test('stays within itself', () => {
    const outside = library.flatMap((source) =>
      relative(source)
        .map((specifier) => target(source, specifier))
        .filter((path) => !path.startsWith(LIBRARY))
        .map((path) => `${source.path} imports ${path}`),
    )
    expect(outside).toEqual([])
  })

  test('knows no test library', () => {
    const knowing = library.filter(({ imports }) => imports.some((name) => ['vitest', 'fast-check'].includes(name)))
    expect(knowing.map(({ path }) => path)).toEqual([])
  })
})

describe('the engine', () => {
  const engine = sources(['packages/engine/src']).filter((source) => !isTest(source))

  test('needs nothing of the library, which it may not bring along', () => {
    expect(engine.length).toBeGreaterThan(5)
    const foreign = engine.flatMap((source) =>
      source.imports
        .filter((name) =>
          name.startsWith('.') ? !target(source, name).startsWith('packages/engine/src/') : /^lapidary\b/.test(name),
        )
        .map((name) => `${source.path} imports ${name}`),
    )
    expect(foreign).toEqual([])
  })

  test('is nothing that the library knows, nor is any other package', () => {
    const knowing = library.filter(({ imports }) => imports.some((name) => /^lapidary-/.test(name)))
    expect(knowing.map(({ path }) => path)).toEqual([])
  })

  test('has no file that imports itself by way of others', () => {
    expect(cycles(engine)).toEqual([])
  })
})

describe('the packages that are built from parts of the library', () => {
  const built = sources(OF_PARTS).filter((source) => source.path.includes('/src/') && !isTest(source))

  test('use its entries, and the one for its parts', () => {
    expect(built.length).toBeGreaterThan(40)
    expect(built.filter(({ imports }) => imports.includes(INTERNAL))).not.toEqual([])
    const beside = built.map((source) => ({ ...source, imports: source.imports.filter((name) => name !== INTERNAL) }))
    expect(beside.flatMap(besideEntries)).toEqual([])
  })

  test('stay within themselves, and no file imports itself by way of others', () => {
    const own = (path: string): string => path.split('/').slice(0, 3).join('/')
    const outside = built.flatMap((source) =>
      relative(source)
        .map((specifier) => target(source, specifier))
        .filter((path) => own(path) !== own(source.path))
        .map((path) => `${source.path} imports ${path}`),
    )
    expect(outside).toEqual([])
    expect(cycles(built)).toEqual([])
  })
})

describe('the HTTP API, the CDK construct, the command line, the studio, the RESP server, apps and bench', () => {
  const users = sources([
    'packages/http',
    'packages/cdk',
    'packages/cli',
    'packages/studio',
    'packages/resp',
    'apps',
    'bench',
  ]).filter((source) => source.path.includes('/src/') && !isTest(source))

  test('use the library by its entries', () => {
    expect(users.length).toBeGreaterThan(5)
    expect(users.flatMap(besideEntries)).toEqual([])
  })

  test('the HTTP API by its public ones alone, and no file of it imports itself by way of others', () => {
    const own = users.filter(({ path }) => path.startsWith('packages/http/'))
    expect(own.length).toBeGreaterThan(40)
    const named = own.flatMap(({ imports }) => imports.filter((name) => /^lapidary\b/.test(name)))
    expect([...new Set(named)].toSorted()).toEqual([
      'lapidary',
      'lapidary-telemetry',
      'lapidary-telemetry/opentelemetry',
      'lapidary-telemetry/prometheus',
    ])
    expect(cycles(own)).toEqual([])
  })

  test('as the examples do', () => {
    expect(sources(['examples']).flatMap(besideEntries)).toEqual([])
  })

  test('reach into no other workspace', () => {
    const outside = users.flatMap((source) => {
      const own = source.path.slice(0, source.path.indexOf('/src/') + 1)
      return (
        relative(source)
          .map((specifier) => target(source, specifier))
          // The engines of the tests, and their chaos, belong to no workspace.
          .filter((path) => !path.startsWith(own) && !/^test\/(engines|chaos)\//.test(path))
          .map((path) => `${source.path} imports ${path}`)
      )
    })
    expect(outside).toEqual([])
  })
})

describe('the telemetry', () => {
  const telemetry = sources(['packages/telemetry/src']).filter((source) => !isTest(source))

  test('knows the library by its public entry, and loads the API of OpenTelemetry and prom-client in entries of their own', () => {
    expect(telemetry.length).toBeGreaterThan(8)
    const foreign = telemetry.flatMap(({ path, imports }) =>
      imports
        .filter((name) => !name.startsWith('.') && !name.startsWith('node:') && name !== 'lapidary')
        .map((name) => `${path.split('/').at(3)} imports ${name}`),
    )
    expect([...new Set(foreign)].toSorted()).toEqual([
      'opentelemetry imports @opentelemetry/api',
      'prometheus imports prom-client',
    ])
    expect(cycles(telemetry)).toEqual([])
  })

  test('has each of these entries reached by no file beside it', () => {
    const reaching = telemetry.flatMap((source) =>
      relative(source)
        .map((specifier) => target(source, specifier))
        .filter(
          (path) => /\/(opentelemetry|prometheus)\//.test(path) && !source.path.includes(path.split('/')[3] ?? ''),
        )
        .map((path) => `${source.path} imports ${path}`),
    )
    expect(reaching).toEqual([])
  })
})

describe('the studio', () => {
  const studio = sources(['packages/studio/src']).filter((source) => !isTest(source))

  test('knows the library by its entries, the adviser, the engine and what pages share, and no other package', () => {
    expect(studio.length).toBeGreaterThan(30)
    const foreign = studio.flatMap(({ path, imports }) =>
      imports
        .filter((name) => /^lapidary-(?!adviser$|engine$|http\/internal\/pages$)/.test(name))
        .map((name) => `${path} imports ${name}`),
    )
    expect(foreign).toEqual([])
  })

  test('has no file that imports itself by way of others', () => {
    expect(cycles(studio)).toEqual([])
  })
})

describe('the playground', () => {
  const playground = sources(['site/playground'])

  test('is made of the library and the adviser, by their entries and those for their parts', () => {
    expect(playground.length).toBeGreaterThan(15)
    const named = playground.flatMap(({ imports }) => imports.filter((name) => /^lapidary\b/.test(name)))
    expect([...new Set(named)].toSorted()).toEqual([
      'lapidary',
      'lapidary-adviser',
      'lapidary-adviser/internal',
      INTERNAL,
      'lapidary/schema',
    ])
    expect(cycles(playground)).toEqual([])
  })
})

describe('layouts and projections as somebody else writes them', () => {
  test('use the library by its entries', () => {
    const outsiders = sources(OUTSIDERS)
    const reaching = outsiders.flatMap((source) =>
      relative(source)
        .filter((name) => target(source, name).includes('/src/'))
        .map((name) => `${source.path} imports ${name}`),
    )
    expect([...reaching, ...outsiders.flatMap(besideEntries)]).toEqual([])
  })
})

describe('every file', () => {
  const all = sources(['packages', 'apps', 'bench', 'examples', 'test', 'scripts', 'vitest.config.ts'])

  test('that is a test beside its source needs no engine', () => {
    const beside = sources(['packages', 'apps']).filter((source) => source.path.includes('/src/') && isTest(source))
    expect(beside.length).toBeGreaterThan(100)
    const needing = beside.filter(({ imports }) => imports.some((name) => /test\/engines\/(?!patience)/.test(name)))
    expect(needing.map(({ path }) => path)).toEqual([])
  })

  test('has at most 400 lines', () => {
    expect(all.filter(({ text }) => text.split('\n').length > 401).map(({ path }) => path)).toEqual([])
  })

  test('has named exports only, but for what a tool loads', () => {
    const defaults = all.filter(
      ({ path, text }) => !path.endsWith('.config.ts') && /^export default\b|\bas default\b/m.test(text),
    )
    expect(defaults.map(({ path }) => path)).toEqual([])
  })

  test('imports nothing from outside the repository', () => {
    const outside = all.flatMap((source) =>
      source.imports
        .filter((specifier) =>
          specifier.startsWith('.') ? target(source, specifier).startsWith('..') : /^(\/|file:)/.test(specifier),
        )
        .map((specifier) => `${source.path} imports ${specifier}`),
    )
    expect(outside).toEqual([])
  })
})

/** Returns the imports of the library that are none of its entries. */
function besideEntries({ path, imports }: Source): readonly string[] {
  return imports
    .filter((name) => /^lapidary\b/.test(name) && !ENTRIES.includes(name))
    .map((name) => `${path} imports ${name}`)
}

/** Returns each cycle once, as the files on it. */
function cycles(files: readonly Source[]): string[] {
  const edges = new Map(files.map((source) => [source.path, relative(source).map((name) => target(source, name))]))
  const done = new Set<string>()
  const found: string[] = []
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path)
    if (start >= 0) {
      found.push([...trail.slice(start), path].map((name) => name.slice(LIBRARY.length)).join(' > '))
      return
    }
    if (done.has(path)) return
    for (const next of edges.get(path) ?? []) visit(next, [...trail, path])
    done.add(path)
  }
  for (const { path } of files) visit(path, [])
  return found
}
