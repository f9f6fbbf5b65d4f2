import type { JSX } from 'hono/jsx/jsx-runtime'
import { edited, facetParameter, isFilter, listPath, type Parameters, toggled, unfiltered } from './address.ts'
import { visible } from './value.tsx'

const ASKED: Readonly<Record<string, string>> = { is: '=', not: '≠', from: '≥', to: '<', starts: 'begins with' }

/** Shows what narrows the list, each with a link to the list without it. */
export function FilterChips({ name, parameters }: { name: string; parameters: Parameters }): JSX.Element | null {
  const chosen = [...parameters].filter(([each, value]) => isFilter(each) && value !== '')
  if (chosen.length === 0) return null
  return (
    <ul class="chips" aria-label="Filters">
      {chosen.map(([parameter, value], i) => {
        const [asked = '', facet = parameter] = facetParameter(parameter) ?? []
        const text = parameter === 'where' ? value : `${facet} ${ASKED[asked || parameter] ?? ''} ${visible(value)}`
        const without =
          asked === 'is' || asked === 'not'
            ? toggled(parameters, parameter, value)
            : edited(parameters, { [parameter]: null })
        return (
          <li>
            <a class="chip" id={`chip-${i}`} href={listPath(name, without)} data-swap>
              <span class="visually-hidden">Remove filter: </span>
              <bdi>
                {parameter === 'from' || parameter === 'to' ? `order ${text.replace(/^(from|to) /, '')}` : text}
              </bdi>
              <span aria-hidden="true"> ×</span>
            </a>
          </li>
        )
      })}
      {chosen.length < 2 ? null : (
        <li>
          <a class="chip-all" href={listPath(name, unfiltered(parameters))} data-swap>
            Clear all
          </a>
        </li>
      )}
    </ul>
  )
}
