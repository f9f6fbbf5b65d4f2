import { useReader } from '../reader.ts'

interface ProductSearchProps {
  readonly id: string
  /** What the field begins with. */
  readonly productId?: string | undefined
  readonly compact?: boolean
}

/** Shows a form that finds products: by name where there is a catalogue, which the script suggests from, else by id. */
export function ProductSearch({ id, productId, compact = false }: ProductSearchProps) {
  const { hasNames, words } = useReader()
  const { productHead, search } = words.say
  const label = hasNames ? search.byName : search.label
  const example = hasNames ? search.exampleName : search.example
  return (
    <search>
      <form
        class={compact ? 'search search-compact' : 'search'}
        action="/"
        method="get"
        data-suggested={hasNames ? search.suggested : undefined}
        data-none={hasNames ? search.noneSuggested : undefined}
      >
        <label class={compact ? 'visually-hidden' : 'search-label'} for={id}>
          {label}
        </label>
        <div class="search-row">
          <input
            class="field"
            id={id}
            name="product"
            value={productId ?? ''}
            placeholder={compact ? productHead.product : example}
            maxlength={128}
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            required
          />
          <button class={compact ? 'button button-quiet' : 'button'} type="submit">
            {compact ? search.go : hasNames ? search.find : search.show}
          </button>
          {hasNames ? (
            <div class="suggestions" id={`${id}-suggestions`} role="listbox" aria-label={label} hidden />
          ) : null}
        </div>
      </form>
    </search>
  )
}
