import { LapidaryError } from '../model/errors.ts'
import type { Query } from '../model/query.ts'
import type { UnknownReason } from '../model/unknown-reason.ts'
import type { PageIndex, PageStart } from '../pages/page-index.ts'
import type { ListsState } from '../pages/sorted-lists.ts'
import { spentBy } from './indexed-total.ts'
import type { Numbering } from './ranked.ts'

const MOST_TRIES = 5

/**
 * The first item of a page, or the last item of all where the page is past the end. Items may come and go meanwhile: only the item that
 * is still the last one when it is found is the end.
 */
export async function startOrEnd(
  pages: Pick<PageIndex, 'find'>,
  query: Query,
  rank: number,
  found: PageStart,
): Promise<PageStart & { readonly isPast: boolean }> {
  let start = found
  const after = async (before: PageStart, at: number): Promise<PageStart> => {
    const next = await pages.find(query, at)
    const [took, more] = [spentBy(before), spentBy(next)]
    return {
      ...next,
      ...{ rcu: took.rcu + more.rcu, rounds: took.rounds + more.rounds, requests: took.requests + more.requests },
    }
  }
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    if (start.position !== undefined || start.total === 0) return { ...start, isPast: false }
    const last = await after(start, start.total - 1)
    if (last.position !== undefined && last.total === start.total) return { ...last, isPast: true }
    start = last.total > rank ? await after(last, rank) : { ...last, position: undefined }
  }
  throw new LapidaryError('unavailable', 'items come and go faster than the last page is found; try again')
}

/** Says of a page index why it can't answer, and what to do. */
export function notReady(
  name: string,
  { label, text }: Pick<Numbering, 'label' | 'text'>,
  state: ListsState | UnknownReason,
): LapidaryError {
  const what = text.toLowerCase()
  const which = label === undefined ? `the ${what} of ${name}` : `the ${what} ${label} of ${name}`
  const command = `lapidary rebuild ${what.replace(' ', '-')}${label === undefined ? '' : ' --missing'}`
  return new LapidaryError(
    'unavailable',
    `${which} ${unreadyText(state, command)}; the first page and cursors work without it`,
  )
}

function unreadyText(state: ListsState | UnknownReason, command: string): string {
  switch (state) {
    case 'filling':
      return 'is being built'
    case 'gap':
      return 'lacks changes that the change stream has lost; lapidary repair makes up for them'
    case 'uncounted':
      return 'knows nothing, since no process follows the change stream; run lapidary stream'
    case 'abandoned':
      return `was left behind by a process that could not keep it; once that has ended, run ${command}`
    default:
      return `is not built yet; run ${command}`
  }
}
