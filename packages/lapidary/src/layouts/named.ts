import { LapidaryError, shown } from '../model/errors.ts'
import { indexes } from './indexes/indexes.ts'
import type { Layout } from './layout.ts'
import { nativeKeys } from './native-keys/native-keys.ts'
import { powerSet } from './power-set/power-set.ts'

/** The names by which settings and command lines choose a layout. */
export type LayoutName = 'indexes' | 'power-set' | 'native-keys'

const LAYOUTS: Readonly<Record<LayoutName, () => Layout>> = {
  indexes,
  'power-set': () => powerSet(),
  'native-keys': nativeKeys,
}

/**
 * Returns the layout with a name from settings or a command line.
 *
 * @throws {LapidaryError} `declaration_invalid` for an unknown name.
 * @example
 * ```ts run
 * const layout = layoutNamed('indexes')
 * ```
 */
export function layoutNamed(name: LayoutName): Layout {
  if (Object.hasOwn(LAYOUTS, name)) return LAYOUTS[name]()
  throw new LapidaryError(
    'declaration_invalid',
    `there is no layout ${shown(name)}; there are ${Object.keys(LAYOUTS).join(', ')}`,
  )
}
