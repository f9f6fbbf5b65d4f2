import type { JSX } from 'hono/jsx/jsx-runtime'
import { colourOf } from './plan-rows.ts'

/** A part of a page, as far as pictures colour it. */
export interface Marked {
  readonly kind: string
  readonly list?: number | undefined
}

/** Returns the class that colours a part in all pictures of a plan: lists by their place, other parts by their kind. */
export function markOf({ kind, list }: Marked): string {
  return list === undefined ? `part-${kind}` : colourOf(list)
}

/** Shows the colour of a part, with the number of a list in it. */
export function PartMark({ part }: { readonly part: Marked }): JSX.Element {
  const { list } = part
  return list === undefined ? (
    <span class={`part-mark ${markOf(part)}`} aria-hidden="true" />
  ) : (
    <span class={`list-number ${markOf(part)}`}>{list + 1}</span>
  )
}
