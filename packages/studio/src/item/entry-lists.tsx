import type { JSX } from 'hono/jsx/jsx-runtime'
import { visible } from '../browse/value.tsx'
import { count } from '../web/words.ts'
import type { EntriesOfItem, ListOfItem } from './lists-of-item.ts'

/** Draws the lists that an item is in: each a row of its list, with the place of the item in it. */
export function EntryLists({ entries: { entries, count: all } }: { entries: EntriesOfItem }): JSX.Element {
  const lists = entries.flatMap((entry) => entry.lists.map((list) => ({ entry, list })))
  const missing = entries.filter(({ isStored }) => !isStored).length
  const different = lists.filter(({ entry, list }) => entry.isStored && !list.isStored).length
  return (
    <section class="card" aria-labelledby="lists">
      <h2 id="lists">{`In ${all > entries.length ? 'more than ' : ''}${count(lists.length, 'list')}`}</h2>
      {missing + different === 0 ? null : (
        <p class="notice notice-bad">
          {missing > 0 ? `${count(missing, 'entry', 'entries')} of it missing in the table: repair makes them. ` : ''}
          {different > 0 ? `${count(different, 'key')} not as the declaration makes them: backfill mends them.` : ''}
        </p>
      )}
      <ol class="lists">
        {lists.map(({ list, entry }) => (
          <ListRow list={list} isStored={entry.isStored && list.isStored} />
        ))}
      </ol>
      {all > entries.length ? (
        <p class="hint">{`The first ${entries.length} of its ${count(all, 'entry', 'entries')} are shown.`}</p>
      ) : null}
      {entries.length < 2 ? null : (
        <p class="hint">{`${count(all, 'entry', 'entries')} in the table: the item, and a copy for each further list of keys.`}</p>
      )}
    </section>
  )
}

function ListRow({ list, isStored }: { list: ListOfItem; isStored: boolean }): JSX.Element {
  return (
    <li class={isStored ? 'list-row' : 'list-row list-row-bad'}>
      <b>{list.index}</b>
      <code class="list-key">
        <bdi>{list.partition.map(visible).join(' · ')}</bdi>
      </code>
      <span class="list-line" aria-hidden="true">
        <i />
      </span>
      <code class="list-place">
        <span class="visually-hidden">at </span>
        <bdi>{list.place.map(visible).join(' · ')}</bdi>
      </code>
      {isStored ? null : <span class="tag tag-bad">not stored so</span>}
    </li>
  )
}
