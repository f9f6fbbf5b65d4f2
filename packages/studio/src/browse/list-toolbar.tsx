import type { JSX } from 'hono/jsx/jsx-runtime'
import { type AnyCollection, DEFAULT_LIMIT } from 'lapidary'
import { listPath, type Parameters } from './address.ts'
import type { Columns } from './columns.ts'
import { HiddenInputs } from './hidden-inputs.tsx'
import { orderNamed } from './read-query.ts'

const LIMITS = [10, 20, 50, 100] as const

export interface ListToolbarProps {
  readonly name: string
  readonly collection: AnyCollection
  readonly parameters: Parameters
  readonly columns: Columns
}

/** Shows the order, its range, the size of a page, and the columns. */
export function ListToolbar({ name, collection, parameters, columns }: ListToolbarProps): JSX.Element {
  const action = listPath(name, new URLSearchParams())
  const by = parameters.get('by') ?? ''
  const order = orderNamed(collection, by || undefined)
  const limit = parameters.get('limit') ?? String(DEFAULT_LIMIT)
  const [first] = Object.keys(collection.orders)
  return (
    <div class="toolbar">
      <form action={action} method="get" class="toolbar-form" data-swap data-auto>
        <HiddenInputs parameters={parameters} without={['by', 'order', 'limit', 'from', 'to']} />
        <label>
          <span>Order</span>
          <select class="field" name="by" id="by">
            {Object.entries(collection.orders).map(([each, { attribute }]) => (
              <option value={each === first ? '' : each} selected={each === by || (by === '' && each === first)}>
                {each === attribute ? each : `${each} (${attribute})`}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span class="visually-hidden">Direction</span>
          <select class="field" name="order" id="order">
            {(order.type === 'time' ? ['newest', 'oldest'] : ['highest', 'lowest']).map((each, i) => (
              <option value={i === 0 ? '' : each} selected={isEnd(parameters.get('order'), i)}>
                {each}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>from</span>
          <input
            class="field field-short"
            name="from"
            id="from"
            value={parameters.get('from') ?? ''}
            autocomplete="off"
          />
        </label>
        <label>
          <span>before</span>
          <input class="field field-short" name="to" id="to" value={parameters.get('to') ?? ''} autocomplete="off" />
        </label>
        <label>
          <span>Items</span>
          <select class="field" name="limit" id="limit">
            {[...new Set([...LIMITS.map(String), limit])].map((each) => (
              <option value={each === String(DEFAULT_LIMIT) ? '' : each} selected={each === limit}>
                {each}
              </option>
            ))}
          </select>
        </label>
        <button class="button button-quiet apply" type="submit">
          Apply
        </button>
      </form>
      <details class="menu" id="columns">
        <summary class="button button-quiet">{`Columns ${columns.shown.length}/${columns.all.length}`}</summary>
        <form action={action} method="get" class="menu-body" data-swap data-columns>
          <HiddenInputs parameters={parameters} without={['cols', 'col']} />
          <fieldset>
            <legend class="visually-hidden">Columns</legend>
            {columns.all.map((column) => (
              <label class="check">
                <input type="checkbox" name="col" value={column} checked={columns.shown.includes(column)} /> {column}
              </label>
            ))}
          </fieldset>
          <button class="button" type="submit">
            Show
          </button>
        </form>
      </details>
    </div>
  )
}

function isEnd(order: string | null, i: number): boolean {
  return (order === 'oldest' || order === 'lowest' ? 1 : 0) === i
}
