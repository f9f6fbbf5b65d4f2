import type { JSX } from 'hono/jsx/jsx-runtime'
import type { AnyCollection, Facet, Item } from 'lapidary'
import { listPath } from '../browse/address.ts'
import { holdsNumbers } from '../browse/read-query.ts'
import { type Problem, ProblemNotice } from '../web/problem.tsx'

export interface NewItemPageProps {
  readonly name: string
  readonly collection: AnyCollection
  readonly text: string
  readonly problem?: Problem | undefined
}

/** Shows the form of a new item. */
export function NewItemPage({ name, collection, text, problem }: NewItemPageProps): JSX.Element {
  return (
    <div class="item">
      <nav class="crumbs" aria-label="Where this is">
        <a href={listPath(name, new URLSearchParams())}>{name}</a>
      </nav>
      <h1>New item</h1>
      {problem === undefined ? null : <ProblemNotice problem={problem} title="Nothing was stored." />}
      <section class="card">
        <form method="post" action={`/c/${encodeURIComponent(name)}/new`} class="item-form">
          <label for="item-json">The item as JSON</label>
          <textarea
            id="item-json"
            name="item"
            class="field code"
            dir="ltr"
            spellcheck={false}
            rows={16}
            aria-invalid={problem === undefined ? undefined : 'true'}
            aria-describedby={problem === undefined ? undefined : 'problem'}
          >
            {`\n${text}`}
          </textarea>
          <div class="actions">
            <button class="button" type="submit">
              Create
            </button>
          </div>
        </form>
        <p class="hint">
          <code>{collection.id}</code>
          {collection.version === undefined ? '' : ', the version'} and the time are made where they are not given. An
          id that exists is refused.
        </p>
      </section>
    </div>
  )
}

/** Returns a new item's attributes to fill in, as far as the declaration knows them. */
export function newItemOf(collection: AnyCollection, scope: string | undefined): Item {
  const { attributes, id, version, updatedAt, facets, orders, order } = collection
  const kept: readonly (string | undefined)[] = [
    id,
    version,
    updatedAt,
    order.type === 'time' ? order.attribute : undefined,
  ]
  const own = Object.entries(facets).flatMap(([name, facet]) =>
    facet.origin === undefined ? [[name, firstValue(facet)] as const] : [],
  )
  const others = Object.keys(attributes ?? {}).map((name) => [name, ''] as const)
  const ordered = Object.values(orders).map(({ attribute, type }) => [attribute, type === 'number' ? 0 : ''] as const)
  const all = new Map<string, unknown>([[collection.scope.attribute, scope ?? ''], ...others, ...ordered, ...own])
  for (const name of kept) if (name !== undefined) all.delete(name)
  all.set(collection.scope.attribute, scope ?? '')
  return Object.fromEntries(all)
}

function firstValue(facet: Facet): unknown {
  const [first] = facet.values ?? []
  const value = first ?? (holdsNumbers(facet) ? 0 : facet.type === 'boolean' ? false : '')
  if (facet.kind !== 'eachOf') return value
  return facet.separator === undefined ? [value] : value
}
