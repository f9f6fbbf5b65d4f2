import type { JSX } from 'hono/jsx/jsx-runtime'
import type { Page } from 'lapidary'
import { number } from '../web/words.ts'
import { edited, listPath, type Parameters } from './address.ts'
import { HiddenInputs } from './hidden-inputs.tsx'

export interface PagerProps {
  readonly name: string
  readonly parameters: Parameters
  readonly page: Page<unknown>
}

/** Links to the pages around, by cursor, and to any page by its number where the list knows how many there are. */
export function Pager({ name, parameters, page: { page, cursors } }: PagerProps): JSX.Element | null {
  const at = (edit: Parameters): string => listPath(name, edit)
  const { count } = page
  const current = page.number ?? page.about
  const isNumbered = page.number !== null && count !== null && count > 1
  const step = (label: string, to: string | null, cursor: string | null, rel: 'next' | 'prev') =>
    to === null && cursor === null ? (
      <span class="step step-off">{label}</span>
    ) : (
      <a
        class="step"
        rel={rel}
        href={at(to === null ? edited(parameters, { cursor }) : edited(parameters, { page: to }))}
        id={`page-${rel}`}
        data-swap
      >
        {label}
      </a>
    )
  if (cursors.next === null && cursors.previous === null && !isNumbered) return null
  return (
    <nav class="pager" aria-label="Pages">
      {cursors.previous === null ? null : (
        <a class="step" href={at(edited(parameters, {}))} data-swap>
          First
        </a>
      )}
      {step('Previous', null, cursors.previous, 'prev')}
      {isNumbered
        ? around(current ?? 1, count).map((each) =>
            each === current ? (
              <span class="page-number" aria-current="page">
                {number(each)}
              </span>
            ) : (
              <a class="page-number" href={at(edited(parameters, { page: String(each) }))} data-swap>
                <span class="visually-hidden">Page </span>
                {number(each)}
              </a>
            ),
          )
        : null}
      {step('Next', null, cursors.next, 'next')}
      {count === null || count < 2 ? null : (
        <form class="go-to" action={listPath(name, new URLSearchParams())} method="get" data-swap>
          <HiddenInputs parameters={parameters} without={['page', 'cursor']} />
          <label for="go-to">Page</label>
          <input class="field" id="go-to" name="page" inputmode="numeric" pattern="[0-9]*" required size={5} />
          <span>{`of ${number(count)}`}</span>
          <button class="button button-quiet" type="submit">
            Go
          </button>
        </form>
      )}
    </nav>
  )
}

/** Returns the first page, the last, and those beside the current one. */
function around(current: number, count: number): readonly number[] {
  const near = [1, current - 1, current, current + 1, count].filter((each) => each >= 1 && each <= count)
  return [...new Set(near)].sort((a, b) => a - b)
}
