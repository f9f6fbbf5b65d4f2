import type { JSX } from 'hono/jsx/jsx-runtime'
import type { AnyCollection } from 'lapidary'
import { listPath, type Parameters } from './address.ts'
import { HiddenInputs } from './hidden-inputs.tsx'

export interface ScopeSearchProps {
  readonly name: string
  readonly collection: AnyCollection
  readonly parameters: Parameters
  /** Scopes that the field offers. */
  readonly known: readonly string[]
}

/** Shows a form that opens a scope by its id. Filters, order and columns of the list stay. */
export function ScopeSearch({ name, collection, parameters, known }: ScopeSearchProps): JSX.Element {
  const { scope } = collection
  return (
    <search class="scope-search">
      <form action={listPath(name, new URLSearchParams())} method="get" data-swap>
        <HiddenInputs parameters={parameters} without={['scope', 'all']} />
        <label for="scope">{scope.attribute}</label>
        <input
          class="field code"
          id="scope"
          name="scope"
          list="known-scopes"
          value={parameters.getAll('scope')[0] ?? ''}
          autocomplete="off"
          spellcheck={false}
          required
        />
        <datalist id="known-scopes">
          {known.map((each) => (
            <option value={each} />
          ))}
        </datalist>
        <button class="button" type="submit">
          Open
        </button>
      </form>
    </search>
  )
}
