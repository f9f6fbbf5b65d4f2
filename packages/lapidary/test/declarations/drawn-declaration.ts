import type { StandardSchemaV1 } from '@standard-schema/spec'
import {
  anyOf,
  type Collection,
  defineCollection,
  eachOf,
  type Facets,
  type LapidaryOptions,
  oneOf,
  type Projection,
  segments,
} from 'lapidary'

/** An item that every drawn declaration takes. */
export interface Thing {
  readonly id: string
  readonly parent: string
  readonly at: string
  readonly state: string
  readonly size: number
  readonly own?: string | null
  readonly tags?: readonly string[]
}

export const STATES = ['x', 'y', 'total'] as const
export const SIZES = [1, 2, 3] as const
export const OWN = ['p', 'q', null] as const
export const TAGS = ['s', 't'] as const
export const PARENTS = ['a', 'b/c'] as const

/** One version of a declaration: the same items, counted otherwise. */
export interface DrawnDeclaration {
  readonly collection: Collection<Thing>
  readonly derived: NonNullable<LapidaryOptions<{ things: Collection }>['derived']>
  /** The draw as text, for messages. */
  readonly text: string
}

type Draw = <T>(values: readonly T[]) => T

const schema: StandardSchemaV1<unknown, Thing> = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: value as Thing }) },
}

/** Each way in which a facet may be declared, or left out. */
const CHOICES: Readonly<Record<string, Readonly<Record<string, (() => Facets[string]) | undefined>>>> = {
  state: {
    'anyOf closed': () => anyOf([...STATES]),
    'anyOf open': () => anyOf(),
    'oneOf closed': () => oneOf([...STATES]),
    'oneOf open': () => oneOf(),
    uncounted: () => anyOf([...STATES], { counted: false }),
  },
  size: {
    'anyOf closed': () => anyOf([...SIZES]),
    'anyOf open': () => anyOf('number'),
    none: undefined,
  },
  own: {
    'oneOf optional': () => oneOf('string', { optional: true }),
    'anyOf optional': () => anyOf(['p', 'q'], { optional: true }),
    none: undefined,
  },
  tags: { closed: () => eachOf([...TAGS]), open: () => eachOf(), none: undefined },
}

export function drawDeclaration(draw: Draw, { ownProjection }: { readonly ownProjection: boolean }): DrawnDeclaration {
  const facets: Record<string, Facets[string]> = {}
  const texts: string[] = []
  for (const [name, choices] of Object.entries(CHOICES)) {
    const [text, make] = draw(Object.entries(choices))
    if (make !== undefined) facets[name] = make()
    texts.push(`${name} ${text}`)
  }
  const isBoard = facets.size?.kind === 'anyOf' && draw([true, false])
  const shards = draw([1, 2])
  const by = draw<object>([{ where: { size: [3] } }, { where: { size: [3] }, sum: 'size' }])
  const sums = draw([[], ['size']])
  const statistics = draw<object>([{}, { across: shards }, { days: true }, { across: shards, days: true }])
  const pages = draw(['segments', 'none'])
  const own = ownProjection ? draw(['none', 'first', 'second']) : 'none'
  const collection = defineCollection({
    ...{ name: 'THING', schema, id: 'id', order: 'at', scope: { name: 'PARENT', attribute: 'parent' } },
    facets,
    indexes: { all: {} },
    ...{ sums, statistics },
    ...(isBoard ? { leaderboards: { best: { ...by, shards } } } : {}),
  } as never) as unknown as Collection<Thing>
  return {
    collection,
    derived: {
      counts: true,
      ...(pages === 'segments' ? { pages: segments() } : {}),
      ...(own === 'none' ? {} : { projections: [countedStates(own === 'first')] }),
    },
    text: [
      ...texts,
      isBoard ? `board of ${shards} ${JSON.stringify(by)}` : 'no board',
      `sums ${sums}`,
      JSON.stringify(statistics),
      pages,
      `own ${own}`,
    ].join(', '),
  }
}

/** A function of one version's own, which no other process can keep. */
function countedStates(isFirst: boolean): Projection {
  return {
    name: 'states',
    collection: 'THING',
    made: isFirst ? 1 : 2,
    dated: false,
    isItem: ({ PK, SK }) => PK.startsWith('THING#') && SK === '~',
    contributions: ({ state, size }) => [
      {
        target: { PK: `~states${isFirst ? 1 : 2}#THING#${state?.S}`, SK: '~' },
        amounts: { n: isFirst ? 1 : Number(size?.N ?? 0) },
      },
    ],
    owns: ({ PK }) => PK.startsWith(`~states${isFirst ? 1 : 2}#THING#`),
    entryOf: (_, { n = 0 }) => (n === 0 ? undefined : { n: { N: String(n) } }),
    amountsOf: ({ n }) => ({ n: Number(n?.N ?? 0) }),
  }
}
