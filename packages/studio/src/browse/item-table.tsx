import type { JSX } from 'hono/jsx/jsx-runtime'
import type { AnyCollection, Item } from 'lapidary'
import { itemPath } from './address.ts'
import { Value } from './value.tsx'

export interface ItemTableProps {
  readonly name: string
  readonly collection: AnyCollection
  readonly columns: readonly string[]
  readonly items: readonly Item[]
}

/** Shows the items of a page. The table scrolls by itself, so that the page does not. */
export function ItemTable({ name, collection, columns, items }: ItemTableProps): JSX.Element {
  const facets = Object.keys(collection.facets)
  const orders = Object.values(collection.orders).map(({ attribute }) => attribute)
  const mark = (column: string) => (facets.includes(column) ? 'facet' : orders.includes(column) ? 'order' : undefined)
  return (
    <section class="table-frame" tabindex={0} aria-label={`Items of ${name}`}>
      <table class="items">
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col" class={column === collection.id ? 'column-id' : undefined}>
                {column}
                {mark(column) === undefined ? null : <small>{mark(column)}</small>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr>
              {columns.map((column) => (
                <Cell name={name} collection={collection} item={item} column={column} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Cell({
  name,
  collection,
  item,
  column,
}: Omit<ItemTableProps, 'columns' | 'items'> & { item: Item; column: string }) {
  const value = Object.hasOwn(item, column) ? item[column] : undefined
  if (column !== collection.id)
    return (
      <td class={typeof value === 'number' || typeof value === 'bigint' ? 'number' : undefined}>
        <Value value={value} />
      </td>
    )
  return (
    <th scope="row" class="column-id">
      <a href={itemPath(name, String(value))}>
        <Value value={value} />
      </a>
    </th>
  )
}
