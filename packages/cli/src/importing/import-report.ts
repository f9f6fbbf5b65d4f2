import type { ImportResult } from 'lapidary/transfer'
import { jsonOf } from '../json-of.ts'
import type { RefusalKind } from './refusals.ts'

/** Writes the items that a dry run shows. */
export function rowsText(rows: readonly unknown[]): string {
  if (rows.length === 0) return ''
  const first =
    rows.length === 1 ? 'the first item as it would be stored' : `the first ${rows.length} as they would be stored`
  return [`${first}:`, ...rows.map((row) => jsonOf(row)), '', ''].join('\n')
}

const MOST_KINDS_SHOWN = 20

/** Counts refusals by kind; one alone was told already. */
export function refusalsText(kinds: readonly RefusalKind[]): string {
  if (kinds.reduce((sum, { count }) => sum + count, 0) < 2) return ''
  const lines = kinds.slice(0, MOST_KINDS_SHOWN).map(({ reason, count, places }) => {
    const where = places.join(', ') + (count > places.length ? ', …' : '')
    return `  ${grouped(count)} × ${reason} (${where})\n`
  })
  const more = kinds.length > lines.length ? `  and ${kinds.length - lines.length} more kinds\n` : ''
  return `refused:\n${lines.join('')}${more}`
}

/** Says in one line what an import did. */
export function summary(result: ImportResult, dryRun: boolean, milliseconds: number, writtenNow: number): string {
  const { lines, written, replaced, skipped, rejected, failed, interrupted } = result
  const words = [
    `${grouped(written)} ${dryRun ? 'could be written' : 'written'}`,
    `${grouped(rejected)} refused`,
    ...(replaced > 0 ? [`${grouped(replaced)} replaced by a later line of the same id`] : []),
    ...(skipped > 0 ? [`${grouped(skipped)} left as they are in the table`] : []),
    ...(failed > 0 ? [`${grouped(failed)} not taken by DynamoDB`] : []),
  ]
  const speed = `${(milliseconds / 1000).toFixed(1)} s, ${grouped(Math.round((writtenNow / milliseconds) * 1000))} a second`
  return `${interrupted ? 'stopped after' : 'read'} ${grouped(lines)} ${lines === 1 ? 'line' : 'lines'}: ${words.join(', ')}; ${speed}\n`
}

function grouped(value: number): string {
  return value.toLocaleString('en')
}
