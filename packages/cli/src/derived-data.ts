import type {
  Difference,
  ItemProblem,
  MaintenanceOptions,
  MaintenanceProgress,
  NotVerified,
  Verification,
} from 'lapidary'
import { count } from './count-text.ts'
import type { CommonOptions } from './options.ts'
import { phaseNotes } from './phase-notes.ts'
import type { Terminal } from './terminal.ts'

/** Options of commands that read the whole table while others use it. */
export interface MaintenanceFlags extends CommonOptions {
  readonly capacity?: number
}

const MOST_SHOWN = 100

/** Makes maintenance options from the flags and the engine, with progress on standard error at least each second. */
export function maintenanceOptions({ capacity }: MaintenanceFlags, terminal: Terminal): MaintenanceOptions {
  return {
    signal: terminal.signal,
    ...(capacity === undefined ? {} : { capacity }),
    onProgress: phaseNotes(terminal, maintenanceProgress),
  }
}

/** Writes each difference on a line, and what was verified. */
export function verificationText(found: Verification, ms: number, shown: number = MOST_SHOWN): string {
  const { differences, differenceCount } = found
  const lines = differences.slice(0, shown).map(differenceText)
  if (differenceCount > lines.length && shown > 0) lines.push(`… and ${count(differenceCount - lines.length)} more`)
  const notes = [
    `${count(found.items, 'item')} recounted in ${(ms / 1000).toFixed(1)} s: ${differenceCount === 0 ? 'no differences' : count(differenceCount, 'difference')}; ${count(found.targets, 'derived item')}, ${count(found.compared)} read at an exact moment, ${count(found.capacity, 'capacity unit')}`,
  ]
  if (differences.some(({ projection }) => projection === 'keys'))
    notes.push('keys of indexes are the items’ own: lapidary backfill mends them')
  if (found.pending > 0)
    notes.push(`${count(found.pending, 'change')} in the stream not counted yet; that is no difference`)
  notes.push(...problemTexts("can't be counted", found.uncountable, found.uncountableItems))
  const left = found.unreadable === 1 ? 'it' : 'them'
  notes.push(...problemTexts(`can't be read, so lists leave ${left} out`, found.unreadable, found.unreadableItems))
  if (found.deadLetters > 0)
    notes.push(`${count(found.deadLetters, 'dead letter')}: changes that could not be counted; repair makes them good`)
  if (found.gaps.length > 0) notes.push(`the stream lost records of ${found.gaps.join(', ')}; repair makes up for them`)
  for (const each of found.notVerified) notes.push(notVerifiedText(each))
  return `${[...lines, ...notes].join('\n')}\n`
}

const MOST_ITEMS = 5

/** Says how many items have a problem, and what it is for some of them. */
function problemTexts(what: string, items = 0, some: readonly ItemProblem[] = []): readonly string[] {
  if (items === 0) return []
  const named = some.slice(0, MOST_ITEMS).map(({ key, reason }) => `  ${key.PK}: ${reason}`)
  const more = items - named.length
  return [`${count(items, 'item')} ${what}:`, ...named, ...(more > 0 ? [`  … and ${count(more)} more`] : [])]
}

const OWN_COPY: Partial<Record<NotVerified['reason'], string>> = {
  no_inspect: 'it has no inspect()',
  sample: 'a sample leaves it out; lapidary verify without --sample compares it',
}

function notVerifiedText({ projection, collection, label, store, reason, message = '' }: NotVerified): string {
  // A custom copy may be kept in any store, which is not known here.
  if (store === undefined) return `${projection} of ${collection} was NOT verified: ${OWN_COPY[reason] ?? reason}`
  const which = label === undefined ? '' : ` ${label}`
  const isColumns = projection === 'columns'
  const rebuild = `lapidary rebuild ${isColumns ? projection : 'page-index'}`
  const why: Readonly<Record<NotVerified['reason'], string>> = {
    no_inspect: `its store has no inspect(); ${rebuild} makes it anew`,
    absent: `it is not built; ${rebuild}${label === undefined ? '' : ' --missing'} builds it`,
    filling: 'it is being built',
    abandoned: `a process that could not keep it has counted past it; ${rebuild} makes it anew once that has ended`,
    full: message,
    sample: 'a sample leaves it out; lapidary verify without --sample compares it',
  }
  const what = isColumns ? 'what columns keep' : `the page index${which}`
  const where = isColumns ? '' : ` in ${store}`
  return `${what} of ${collection}${where} was NOT verified: ${why[reason]}`
}

function differenceText({ kind, projection, target, name, expected, actual }: Difference): string {
  return `${kind.padEnd(8)} ${projection.padEnd(12)} ${target.PK} ${target.SK} ${name}: expected ${expected ?? 'nothing'}, is ${actual ?? 'nothing'}`
}

function maintenanceProgress({ phase, done, total, leftMs, capacity, differences }: MaintenanceProgress): string {
  const of = total === undefined ? '' : ` of ${phase === 'scan' ? 'about ' : ''}${count(total)}`
  const left = leftMs === undefined ? '' : `, ${Math.ceil(leftMs / 1000)} s left`
  const units = count(capacity, 'capacity unit')
  switch (phase) {
    case 'scan':
      return `reading the table: ${count(done)}${of} items${left}, ${units}`
    case 'sample':
      return `reading a sample: ${count(done)}${of} parents${left}, ${units}`
    case 'fill':
      return `writing the entries of ${count(total ?? 0, 'item')} in order, ${units}`
    case 'stream':
      return `reading the change stream: ${count(done, 'record')} so far, ${units}`
    case 'compare':
      return `comparing: ${count(done)}${of} derived items${left}, ${count(differences, 'difference')}, ${units}`
    case 'count':
      return `counting what is in the change stream: ${count(done)}${of} changes${left}`
  }
}
