import type { PageStore } from './sorted-lists.ts'
import { SEGMENTS, segments } from './stores/dynamodb/dynamodb-lists.ts'
import { PAGE_MARKERS, type PageMarkersOptions, pageMarkers } from './stores/markers/page-markers.ts'

/** A store of page numbers that is in the table, by its name and how it was set; undefined for any other. */
export function storeInTable(name: string, settings: unknown): PageStore | undefined {
  if (name === SEGMENTS) return segments()
  return name === PAGE_MARKERS ? pageMarkers(settings as PageMarkersOptions) : undefined
}
