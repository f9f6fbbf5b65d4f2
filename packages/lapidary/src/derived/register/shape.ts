import { ruleDigest } from '../../layouts/key-rule.ts'
import type { ProjectionBase } from '../projection-base.ts'

/**
 * What derived data are made by. Two processes of the same shape write the same items, and those of another shape lie under other keys: so
 * versions of a declaration that are at work side by side never add to each other's.
 */
export interface Shape {
  /** The collection's own name: `COMMENT`. */
  readonly collection: string
  /** What it is one of: `counts`, `leaderboards`, `pages`, or the name of a projection of one's own. */
  readonly name: string
  /** A short name for `made`. */
  readonly digest: string
  /** The facets, values, conditions and orders that it is made by, as plain data: of it any process can keep it. */
  readonly made: unknown
}

const DIGEST_CHARACTERS = 10

/**
 * The format in which a kind of derived data is written, by its name; 1 where none is given. It is raised when a release writes something else
 * of what is declared the same. Then the data of the release have keys of their own and are filled anew, and an older release leaves them alone.
 */
const FORMATS: Readonly<Record<string, (made: unknown) => number>> = {
  // 2: trees of any height, whose branches have up to 48 nodes and say their level.
  pages: () => 2,
  // 2: codes that are packed together.
  columns: () => 2,
  // 2: sums beside the counts, which a release before can't keep.
  counts: (made) => (says(made, 'sums') ? 2 : 1),
  // 2: places by a sum or an average, which a release before would make by the count.
  leaderboards: (made) => (says(made, 'ranking') ? 2 : 1),
}

export function shapeOf(
  { collection, name }: Pick<Shape, 'collection' | 'name'>,
  made: unknown,
  format: number = formatOf(name, made),
): Shape {
  const rule = format === 1 ? (made ?? null) : { format, made }
  return Object.freeze({ collection, name, made, digest: ruleDigest(rule).slice(0, DIGEST_CHARACTERS) })
}

function formatOf(name: string, made: unknown): number {
  const format = Object.hasOwn(FORMATS, name) ? (FORMATS[name]?.(made) ?? 1) : 1
  return hasOrigins(made) ? format + 1 : format
}

/** Whether values of facets come from paths or functions, of which a release before knows nothing: it would look for attributes. */
function hasOrigins(made: unknown): boolean {
  const { declaration } = (made ?? {}) as { readonly declaration?: { readonly facets?: unknown } }
  const facets: unknown = declaration?.facets
  return (
    Array.isArray(facets) &&
    facets.some((facet) => Array.isArray(facet) && (says(facet[1], 'path') || says(facet[1], 'computed')))
  )
}

function says(made: unknown, part: string): boolean {
  return typeof made === 'object' && made !== null && Object.hasOwn(made, part)
}

/** Whether a shape, as the table has it, is written in the format of this release. */
export function isOwnFormat(shape: Shape): boolean {
  return shapeOf(shape, shape.made).digest === shape.digest
}

/** The shape of a projection; of one of one's own that says nothing of it, its name is all. */
export function projectionShape({
  collection,
  name,
  made,
}: Pick<ProjectionBase, 'collection' | 'name' | 'made'>): Shape {
  return shapeOf({ collection, name }, made)
}

/** By what the register has a shape. */
export function shapeId({ collection, name, digest }: Pick<Shape, 'collection' | 'name' | 'digest'>): string {
  return `${collection}.${name}.${digest}`
}

/** What keys of derived data of a shape begin with, after their `~`: `counts.V1StGXR8_Z`. */
export function keyKind(kind: string, { digest }: Pick<Shape, 'digest'>): string {
  return `${kind}.${digest}`
}
