import type { JSX } from 'hono/jsx/jsx-runtime'
import type { LeaderboardEntry } from 'lapidary'
import type { OpenCollection } from '../studio-options.ts'
import { amount, number } from '../web/words.ts'
import { listPath } from './address.ts'
import { ScopeSearch } from './scope-search.tsx'

/** A leaderboard with what each of its scopes holds in all; entries are null where it is not known, for a reason. */
export interface ShownBoard {
  readonly name: string
  readonly entries: readonly (LeaderboardEntry & { readonly total: number | null })[] | null
  readonly reason: string | undefined
}

export interface ScopesPageProps extends OpenCollection {
  readonly name: string
  readonly boards: readonly ShownBoard[]
  readonly known: readonly string[]
  /** Items of all scopes; undefined where they are not counted together. */
  readonly total: number | null | undefined
  /** Whether an index lists the items of all scopes. */
  readonly listsAll: boolean
}

/** Shows the way into a collection: a scope by its id, those with most items by the boards, those of this session. No table is scanned for it. */
export function ScopesPage({ name, collection, client, boards, known, total, listsAll }: ScopesPageProps): JSX.Element {
  const ranked = boards.flatMap(({ entries }) => (entries ?? []).map(({ scope }) => scope))
  const open = (scope: string): string => listPath(name, new URLSearchParams({ scope }))
  return (
    <div class="scopes">
      <header>
        <h1>{name}</h1>
        <p class="lead">
          {total === undefined || total === null ? null : <b>{`${number(total)} items. `}</b>}
          Items are listed under a <code>{collection.scope.attribute}</code>. Open one by its id
          {boards.length > 0 ? ', or from a leaderboard' : ''}.
        </p>
        <ScopeSearch
          name={name}
          collection={collection}
          parameters={new URLSearchParams()}
          known={[...new Set([...known, ...ranked])]}
        />
        {listsAll ? (
          <p>
            <a href={listPath(name, new URLSearchParams({ all: '1' }))}>
              All items, whatever their {collection.scope.attribute}
            </a>
          </p>
        ) : null}
      </header>
      <div class="cards">
        {boards.map((board) => (
          <section class="card" aria-labelledby={`board-${board.name}`}>
            <h2 id={`board-${board.name}`}>{board.name}</h2>
            {board.entries === null ? (
              <p class="hint">{board.reason ?? 'It is not known.'}</p>
            ) : board.entries.length === 0 ? (
              <p class="hint">Nothing is on it yet.</p>
            ) : (
              <table class="board">
                <thead>
                  <tr>
                    <th scope="col" class="number">
                      #
                    </th>
                    <th scope="col">{collection.scope.attribute}</th>
                    <th scope="col" class="number">
                      {board.name}
                    </th>
                    <th scope="col" class="number">
                      all items
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {board.entries.map(({ scope, rank, total: all, ...ranked }) => (
                    <tr>
                      <td class="number">{rank}</td>
                      <th scope="row">
                        <a href={open(scope)}>
                          <bdi>{scope}</bdi>
                        </a>
                      </th>
                      <RankedBy {...ranked} />
                      <td class="number">{all === null ? '–' : number(all)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
          </section>
        ))}
        {known.length === 0 ? null : (
          <section class="card" aria-labelledby="known">
            <h2 id="known">Opened in this session</h2>
            <ul class="known">
              {known.map((scope) => (
                <li>
                  <a href={open(scope)}>
                    <bdi>{scope}</bdi>
                  </a>
                </li>
              ))}
            </ul>
          </section>
        )}
        <Declaration collection={collection} client={client} />
      </div>
    </div>
  )
}

/** Shows what a scope is ranked by. An average may have 38 digits; those that are left out can be pointed at. */
function RankedBy({ count, sum, average }: Pick<LeaderboardEntry, 'count' | 'sum' | 'average'>): JSX.Element {
  const exact = sum ?? average
  return exact === undefined ? (
    <td class="number">{number(count)}</td>
  ) : (
    <td class="number" title={String(exact)}>
      {amount(String(exact))}
    </td>
  )
}

/** Shows what is declared: scope, orders, facets, indexes. */
function Declaration({ collection, client }: OpenCollection): JSX.Element {
  const { layout } = client.context
  return (
    <section class="card" aria-labelledby="declared">
      <h2 id="declared">Declared</h2>
      <dl class="facts">
        <div>
          <dt>Scope</dt>
          <dd>
            <code>{collection.scope.name}</code> by <code>{collection.scope.attribute}</code>
          </dd>
        </div>
        <div>
          <dt>Orders</dt>
          <dd>
            {Object.entries(collection.orders).map(([name, { type }]) => (
              <>
                <code>{name}</code> <small>{type}</small>{' '}
              </>
            ))}
          </dd>
        </div>
        <div>
          <dt>Facets</dt>
          <dd>
            {Object.entries(collection.facets).map(([name, { kind }]) => (
              <>
                <code>{name}</code> <small>{kind}</small>{' '}
              </>
            ))}
          </dd>
        </div>
        <div>
          <dt>Indexes</dt>
          <dd>
            {layout.indexes.map(({ name }) => (
              <>
                <code>{name}</code>{' '}
              </>
            ))}
          </dd>
        </div>
        <div>
          <dt>Version</dt>
          <dd>{collection.version === undefined ? 'none declared' : <code>{collection.version}</code>}</dd>
        </div>
      </dl>
    </section>
  )
}
