import type { JSX } from 'hono/jsx/jsx-runtime'
import type { Counts, Item, Page } from 'lapidary'
import type { SentRequest } from 'lapidary-http/internal/pages'
import { PlanSummary } from '../plan/plan-summary.tsx'
import type { OpenCollection } from '../studio-options.ts'
import { type Problem, ProblemNotice } from '../web/problem.tsx'
import { count, decimal, moment, number } from '../web/words.ts'
import { edited, itemPath, listPath, type Parameters, unfiltered } from './address.ts'
import { columnsOf } from './columns.ts'
import { FacetPanel } from './facet-panel.tsx'
import { FilterChips } from './filter-chips.tsx'
import { ItemTable } from './item-table.tsx'
import { ListToolbar } from './list-toolbar.tsx'
import { Pager } from './pager.tsx'
import { ScopeSearch } from './scope-search.tsx'

export interface BrowsePageProps extends OpenCollection {
  readonly name: string
  readonly parameters: Parameters
  /** Scopes that were opened before. */
  readonly known: readonly string[]
  /** The page; undefined where it can't be read. */
  readonly page: Page<Item> | undefined
  /** Counts by columns, where the database keeps them. */
  readonly counts: Counts | undefined
  /** Whether these are on their way. */
  readonly isCounting: boolean
  readonly problem: Problem | undefined
  /** What was sent for the page. */
  readonly requests: readonly SentRequest[]
  /** The address of a DynamoDB that is not AWS's own. */
  readonly endpoint: string | undefined
}

/** Shows a list: its facets at the side, what it holds and what that cost, and a page of it. */
export function BrowsePage({
  name,
  collection,
  parameters,
  known,
  page,
  counts,
  isCounting,
  problem,
  requests,
  endpoint,
}: BrowsePageProps): JSX.Element {
  const columns = columnsOf(collection, page?.items ?? [], parameters)
  const filters = [...parameters.keys()].filter((each) => each.includes('.') || each === 'where').length
  const scopes = parameters.getAll('scope')
  return (
    <div class="browse" data-counting={isCounting ? 'true' : undefined}>
      <aside class="side" aria-label="Filter">
        <ScopeSearch name={name} collection={collection} parameters={parameters} known={known} />
        <details class="filters" id="filters" open>
          <summary>{filters === 0 ? 'Filter' : `Filter (${filters})`}</summary>
          <FacetPanel
            name={name}
            collection={collection}
            parameters={parameters}
            counts={counts?.facets ?? page?.facets ?? null}
          />
        </details>
      </aside>
      <div class="list">
        <header class="list-head">
          <h1 id="results" tabindex={-1}>
            {totalText(page, counts)} <span class="of">in</span>{' '}
            {scopes.length === 0 ? <span>all of {name}</span> : <bdi>{scopes.join(', ')}</bdi>}
          </h1>
          <a
            class="button new"
            href={`/c/${encodeURIComponent(name)}/new?${new URLSearchParams(scopes.slice(0, 1).map((each): [string, string] => ['scope', each]))}`}
          >
            New item
          </a>
        </header>
        <FilterChips name={name} parameters={parameters} />
        <ListToolbar name={name} collection={collection} parameters={parameters} columns={columns} />
        {problem === undefined ? null : (
          <>
            <ProblemNotice problem={problem} title="This list can’t be read." />
            <p>
              <a href={listPath(name, edited(parameters, {}))}>The first page of this list</a> ·{' '}
              <a href={listPath(name, unfiltered(parameters))}>The list without filters</a>
            </p>
          </>
        )}
        {page === undefined ? null : (
          <>
            <PlanSummary plan={page.plan} requests={requests} endpoint={endpoint} />
            <Unreadable name={name} page={page} />
            {page.items.length === 0 ? (
              <Nothing name={name} parameters={parameters} page={page} />
            ) : (
              <ItemTable name={name} collection={collection} columns={columns.shown} items={page.items} />
            )}
            <footer class="list-foot">
              <Pager name={name} parameters={parameters} page={page} />
              <p class="as-of" id="as-of">
                {countedText(page, counts, isCounting)}
              </p>
            </footer>
          </>
        )}
      </div>
    </div>
  )
}

/** Returns how many items the list has, where that is known. */
function totalText(page: Page<Item> | undefined, counts: Counts | undefined): string {
  if (page === undefined) return 'Items'
  const total = page.page.total ?? counts?.total ?? null
  if (total !== null) return count(total, 'item')
  const { next, previous } = page.cursors
  // A list that ends on its first page is counted by looking at it.
  return next === null && previous === null ? count(page.items.length, 'item') : 'Items'
}

/** Says up to when counts are, and what those by columns took beside the page. */
function countedText({ asOf: ofPage }: Page<Item>, counts: Counts | undefined, isCounting: boolean): string {
  if (isCounting) return 'Counting by columns …'
  const asOf = counts?.asOf ?? ofPage
  const took = counts === undefined ? '' : `; counts by columns took ${decimal(counts.rcu)} RCU`
  return asOf === null ? `Counts are not known here${took}` : `Counted up to ${moment(asOf)} UTC${took}`
}

/** Says why a page has no items, and what to do. */
function Nothing({ name, parameters, page }: { name: string; parameters: Parameters; page: Page<Item> }): JSX.Element {
  const isPast = page.page.number !== null && page.page.number > Math.max(1, page.page.count ?? 1)
  const hasFilters = unfiltered(parameters).toString() !== edited(parameters, {}).toString()
  return (
    <div class="nothing">
      <p>
        {isPast
          ? `Page ${number(page.page.number ?? 0)} is past the end.`
          : hasFilters
            ? 'No item passes this filter.'
            : 'There are no items here.'}
      </p>
      {hasFilters ? (
        <a class="button button-quiet" href={listPath(name, unfiltered(parameters))} data-swap>
          Show all
        </a>
      ) : null}
    </div>
  )
}

/** Names items that the page leaves out, since a number in them can't be read. */
function Unreadable({ name, page }: { name: string; page: Page<Item> }): JSX.Element | null {
  const left = page.plan.notes.flatMap((note) => (note.kind === 'unreadable' ? [note] : []))
  if (left.length === 0) return null
  return (
    <div class="notice notice-bad">
      <p>
        <b>{`${count(left.length, 'item')} of this page can’t be read as declared, so lists leave ${left.length === 1 ? 'it' : 'them'} out:`}</b>
      </p>
      <ul>
        {left.map(({ id, attribute, number: digits }) => (
          <li>
            <a href={itemPath(name, id)}>
              <bdi>{id}</bdi>
            </a>
            : its <code>{attribute}</code> is <code>{digits}</code>
          </li>
        ))}
      </ul>
    </div>
  )
}
