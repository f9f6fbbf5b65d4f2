import { LapidaryError } from '../model/errors.ts'
import { indexes } from './indexes/indexes.ts'
import type { Layout } from './layout.ts'
import { powerSet } from './power-set/power-set.ts'

/** The names by which settings and command lines choose a layout. */
export type LayoutName = 'indexes' | 'power-set' | 'native-keys'

const LAYOUTS: Readonly<Partial<Record<LayoutName, () => Layout>>> = {
  indexes,
  'power-set': () => powerSet(),
}

/**
 * The layout of a name, as settings and command lines give it.
 *
 * @throws {LapidaryError} `not_implemented` for a layout that is not available.
 * @example
 * ```ts run
 * const layout = layoutNamed('indexes')
 * ```
 */
export function layoutNamed(name: LayoutName): Layout {
  const layout = LAYOUTS[name]
  if (layout === undefined) {
    throw new LapidaryError(
      'not_implemented',
      `the layout ${name} is not available yet; use ${Object.keys(LAYOUTS).join(', ')}`,
    )
  }
  return layout()
}
