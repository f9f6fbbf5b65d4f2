import type { ComparedPages } from '../recount/compared-pages.ts'
import type { DuplicatesInspection } from '../recount/duplicates/duplicates-inspection.ts'
import type { DerivedData } from '../recount/maintenance-options.ts'
import { layoutKeeping } from '../schema/index-states.ts'
import { type Database, derivedOf } from './database.ts'

/** Derived data with what only a look at every entry can compare: the page index, and duplicates. */
export async function withCompared(database: Database): Promise<DerivedData> {
  const derived = await derivedOf(database)
  const compared: ComparedPages[] = [...(await inspectDuplicates(database))]
  if (database.contexts.some(({ pages }) => pages.length > 0)) {
    const { inspectPages } = await import('../recount/pages/page-inspection.ts')
    compared.push(...inspectPages(database.contexts, derived.streams))
  }
  return { ...derived, compared }
}

/** One for each collection whose items have duplicates, by the declaration or by what the table knows beside it. */
export async function inspectDuplicates({ contexts }: Database): Promise<readonly DuplicatesInspection[]> {
  const written = await Promise.all(
    contexts.map(async (context) => ({
      ...context,
      layout: layoutKeeping(context.layout, await context.states.kept()),
    })),
  )
  const having = written.filter(({ layout }) => layout.duplicates !== undefined)
  if (having.length === 0) return []
  const { DuplicatesInspection } = await import('../recount/duplicates/duplicates-inspection.ts')
  return having.map((context) => new DuplicatesInspection(context))
}
