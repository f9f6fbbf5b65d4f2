import { shown } from 'lapidary'
import type { ImportOptions } from 'lapidary/transfer'
import type { PlacedRecord } from './import-records.ts'
import type { ValueReadings } from './value-readings.ts'

/** Refused records of one kind. */
export interface RefusalKind {
  /** The reason without the value. */
  readonly reason: string
  readonly count: number
  /** The places of the first. */
  readonly places: readonly string[]
}

/** Explains what was refused, and counts it by kind. */
export interface Refusals {
  /** Returns the reasons in one line: column, value, what is wrong with it and what would be taken. */
  add(record: PlacedRecord, reason: string, issues: Issues): string
  /** The most frequent first. */
  kinds(): readonly RefusalKind[]
}

type Issues = Parameters<NonNullable<ImportOptions['onRejected']>>[2]

const MOST_KINDS = 200
const MOST_PLACES = 3
const OTHERS = 'other reasons'

/** Makes an empty collection of refusals. */
export function createRefusals(readings: ValueReadings): Refusals {
  const kinds = new Map<string, { count: number; places: string[] }>()
  const count = (reason: string, place: string): void => {
    const key = kinds.has(reason) || kinds.size < MOST_KINDS ? reason : OTHERS
    const kind = kinds.get(key) ?? { count: 0, places: [] }
    kind.count++
    if (kind.places.length < MOST_PLACES) kind.places.push(place)
    kinds.set(key, kind)
  }
  return {
    add(record, reason, issues) {
      const { place } = record
      if (issues.length === 0) {
        // A parser says something else of each line; and what is counted in it is no kind of its own.
        count(
          (reason.startsWith('is not JSON') ? 'is not JSON' : (reason.split('; --')[0] ?? reason)).replaceAll(
            /\d+/g,
            'N',
          ),
          place,
        )
        return reason
      }
      for (const { path, message } of issues) count(`${columnText(record, path)}: ${message}`, place)
      return issues.map((issue) => issueText(record, issue, readings)).join('; ')
    },
    kinds: () =>
      [...kinds]
        .map(([reason, { count: times, places }]) => ({ reason, count: times, places }))
        .sort((a, b) => b.count - a.count),
  }
}

function issueText(record: PlacedRecord, { path, message }: Issues[number], readings: ValueReadings): string {
  const [attribute = ''] = path.split('.')
  if (path === '') return message
  const { value, texts } = record
  const found = Object.hasOwn(value as object, attribute) ? (value as Record<string, unknown>)[attribute] : undefined
  const column = columnText(record, path)
  if (found === undefined || found === null || found === '') {
    const where = record.columns.has(attribute) ? ' is empty' : ''
    const help = `--set ${attribute}=VALUE gives every item one, --default ${attribute}=VALUE those without`
    return texts === true ? `${column}${where}: ${message}; ${help}` : `${column}: ${message}`
  }
  const quoted = typeof found === 'object' ? '' : ` ${shown(found)}`
  const hint = typeof found === 'string' ? readings.hint(attribute, found) : ''
  return `${column}${quoted}: ${message}${hint === '' ? '' : `; ${hint}`}`
}

/** Names the attribute, and the column where that has another name. */
function columnText({ columns }: PlacedRecord, path: string): string {
  const [attribute = ''] = path.split('.')
  const column = columns.get(attribute)
  return column === undefined || column === attribute ? path || 'item' : `column ${shown(column)} (${path})`
}
