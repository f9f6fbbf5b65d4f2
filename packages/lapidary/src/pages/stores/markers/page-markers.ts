import { LapidaryError, shown } from '../../../model/errors.ts'
import { knownOptions, type OptionNames } from '../../../model/known-options.ts'
import { loadedLists } from '../../loaded-lists.ts'
import type { PageStore } from '../../sorted-lists.ts'

/** What `pageMarkers` takes. */
export interface PageMarkersOptions {
  /** Each so-manyth entry is stamped with how many come before it; 50 when not given, at most 500. */
  readonly every?: number
  /**
   * What happens to a change that is not at the newest end: a deletion, another rating, a comment of yesterday. `mend`, the
   * default, writes the blocks from there on anew; `refuse` raises `unprocessable`.
   */
  readonly onDisorder?: 'mend' | 'refuse'
  /** Blocks that one change may make to be written anew; one further back is refused. 40 when not given, at most 45. */
  readonly mostMended?: number
  /** Told how many blocks were written anew, each time that some were. */
  readonly onMend?: (blocks: number) => void
}

const NAMES: OptionNames<PageMarkersOptions> = { every: true, onDisorder: true, mostMended: true, onMend: true }

/** What the store is called. */
export const PAGE_MARKERS = 'page-markers'
const MOST_EVERY = 500
/** With twice as many, of a change that leaves one scope for another, a transaction has room for names and marks. */
const MOST_MENDED = 45

/**
 * Page markers in the table itself: entries in blocks from the oldest on, each stamped with how many come before it. What is
 * appended writes one block; what changes further back writes all blocks after it anew, up to a bound, or is refused.
 *
 * @throws {LapidaryError} `declaration_invalid` for options out of their bounds.
 * @example
 * ```ts run
 * const pages = pageMarkers({ every: 100, onMend: (blocks) => console.log(`${blocks} blocks written anew`) })
 * const lapidary = createLapidary({ client, tableName, collections: { comments }, cursorSecret, derived: { pages } })
 * ```
 */
export function pageMarkers(options: PageMarkersOptions = {}): PageStore {
  const {
    every = 50,
    onDisorder = 'mend',
    mostMended = 40,
    onMend,
  } = knownOptions('pageMarkers', options, NAMES, 'declaration_invalid')
  if (onDisorder !== 'mend' && onDisorder !== 'refuse') {
    throw new LapidaryError(
      'declaration_invalid',
      `pageMarkers({ onDisorder }) is ${shown(onDisorder)}; it is mend or refuse`,
    )
  }
  requireWhole('every', every, 1, MOST_EVERY)
  requireWhole('mostMended', mostMended, 0, MOST_MENDED)
  return {
    name: PAGE_MARKERS,
    appendOnly: true,
    settings: { every, onDisorder, mostMended },
    open: ({ table, namespace, clock }) =>
      loadedLists(PAGE_MARKERS, async () => {
        const { openBlocks } = await import('./open-blocks.ts')
        // Apart from segments of the same collection.
        return openBlocks(table, markersNamespace(namespace), clock, { every, onDisorder, mostMended }, onMend)
      }),
  }
}

export function markersNamespace(namespace: string): string {
  return `markers:${namespace}`
}

function requireWhole(name: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return
  throw new LapidaryError(
    'declaration_invalid',
    `${name} of page markers is ${value}; it is a whole number from ${least} to ${most}`,
  )
}
