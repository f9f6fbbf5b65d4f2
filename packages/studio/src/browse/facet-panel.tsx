import type { JSX } from 'hono/jsx/jsx-runtime'
import type { AnyCollection, Facet, FacetValue } from 'lapidary'
import { number } from '../web/words.ts'
import { listPath, type Parameters, toggled } from './address.ts'
import { HiddenInputs } from './hidden-inputs.tsx'
import { holdsNumbers } from './read-query.ts'
import { visible } from './value.tsx'

/** Values that are shown before the others, which are folded away. */
const FIRST_VALUES = 10

export interface FacetPanelProps {
  readonly name: string
  readonly collection: AnyCollection
  readonly parameters: Parameters
  /** Counts of each value of each facet that are known. */
  readonly counts: Readonly<Record<string, Readonly<Record<string, number>>>> | null
}

/** Shows the facets at the side: values with their counts, ranges, beginnings, and conditions as JSON. */
export function FacetPanel(props: FacetPanelProps): JSX.Element {
  const { name, collection, parameters } = props
  return (
    <>
      {Object.entries(collection.facets).map(([facet, declared]) => (
        <FacetFilter {...props} facet={facet} declared={declared} />
      ))}
      <details class="facet" id="facet-where" open={parameters.get('where') ? true : undefined}>
        <summary>Condition</summary>
        <form action={listPath(name, new URLSearchParams())} method="get" class="facet-form" data-swap>
          <HiddenInputs parameters={parameters} without={['where']} />
          <label class="visually-hidden" for="where">
            A condition as JSON
          </label>
          <textarea
            id="where"
            name="where"
            class="field code"
            rows={4}
            spellcheck={false}
            placeholder={conditionExample(collection)}
          >
            {parameters.get('where') ?? ''}
          </textarea>
          <button class="button" type="submit">
            Apply
          </button>
        </form>
        <p class="hint">
          JSON with <code>AND</code>, <code>OR</code>, <code>NOT</code>, <code>from</code>, <code>to</code>,{' '}
          <code>startsWith</code>, <code>hasEvery</code>.
        </p>
      </details>
    </>
  )
}

interface FacetFilterProps extends FacetPanelProps {
  readonly facet: string
  readonly declared: Facet
}

function FacetFilter({ name, parameters, counts, facet, declared }: FacetFilterProps): JSX.Element {
  const known = counts !== null && Object.hasOwn(counts, facet) ? counts[facet] : undefined
  const chosen = parameters.getAll(`is.${facet}`)
  const values = valuesOf(declared, known, chosen)
  const most = Math.max(1, ...Object.values(known ?? {}))
  const shown = values.slice(0, FIRST_VALUES)
  const further = values.slice(FIRST_VALUES)
  const valueLink = (value: string) => (
    <ValueLink
      href={listPath(name, toggledValue(parameters, declared, facet, value))}
      id={`is-${facet}-${value}`}
      value={value}
      isChosen={chosen.includes(value)}
      isOne={declared.kind === 'oneOf'}
      items={known === undefined ? undefined : (known[value] ?? 0)}
      most={most}
    />
  )
  return (
    <section class="facet" aria-labelledby={`facet-${facet}`}>
      <h2 id={`facet-${facet}`}>
        {facet}
        <small>{kindText(declared)}</small>
      </h2>
      {shown.length === 0 ? null : <ul class="values">{shown.map(valueLink)}</ul>}
      {further.length === 0 ? null : (
        <details class="further" id={`further-${facet}`}>
          <summary>{`${number(further.length)} more`}</summary>
          <ul class="values">{further.map(valueLink)}</ul>
        </details>
      )}
      {declared.values === undefined || holdsNumbers(declared) ? (
        <OpenForm name={name} parameters={parameters} facet={facet} declared={declared} />
      ) : null}
    </section>
  )
}

/** A facet of one value changes to the value that is chosen; of others a value comes in or goes. */
function toggledValue(parameters: Parameters, { kind }: Facet, facet: string, value: string): Parameters {
  const parameter = `is.${facet}`
  if (kind !== 'oneOf' || parameters.getAll(parameter).includes(value)) return toggled(parameters, parameter, value)
  const without = new URLSearchParams(parameters)
  without.delete(parameter)
  return toggled(without, parameter, value)
}

interface ValueLinkProps {
  readonly href: string
  readonly id: string
  readonly value: string
  readonly isChosen: boolean
  readonly isOne: boolean
  readonly items: number | undefined
  readonly most: number
}

function ValueLink({ href, id, value, isChosen, isOne, items, most }: ValueLinkProps): JSX.Element {
  return (
    <li>
      <a
        class={isOne ? 'value value-one' : 'value'}
        href={href}
        id={id}
        aria-current={isChosen ? 'true' : undefined}
        data-swap
      >
        <bdi class="value-name">{value === '' ? 'empty' : visible(value)}</bdi>
        {isChosen ? <span class="visually-hidden">, chosen: take it out</span> : null}
        {items === undefined ? null : (
          <span class={items === 0 ? 'value-count value-none' : 'value-count'}>{number(items)}</span>
        )}
        {items === undefined ? null : (
          <svg class="value-bar" aria-hidden="true" height="3">
            <rect width={`${((100 * items) / most).toFixed(1)}%`} height="3" />
          </svg>
        )}
      </a>
    </li>
  )
}

/** A form for what no list of values can offer: another value, a range, a beginning. */
function OpenForm({
  name,
  parameters,
  facet,
  declared,
}: Pick<FacetFilterProps, 'name' | 'parameters' | 'facet' | 'declared'>): JSX.Element {
  const numbers = holdsNumbers(declared)
  const fields = numbers
    ? [['from', 'from'] as const, ['to', 'below'] as const]
    : [['starts', 'begins with'] as const, ['from', 'from'] as const, ['to', 'before'] as const]
  const names = fields.map(([asked]) => `${asked}.${facet}`)
  const isUsed = names.some((each) => parameters.get(each))
  const value = `is.${facet}`
  const range = (
    <form
      action={listPath(name, new URLSearchParams())}
      method="get"
      class={numbers ? 'facet-form facet-range' : 'facet-form facet-row'}
      data-swap
    >
      <HiddenInputs parameters={parameters} without={names} />
      {fields.map(([asked, label]) => (
        <label>
          <span>{label}</span>
          <input
            class="field"
            id={`${asked}-${facet}`}
            name={`${asked}.${facet}`}
            value={parameters.get(`${asked}.${facet}`) ?? ''}
            inputmode={numbers ? 'decimal' : undefined}
            autocomplete="off"
            spellcheck={false}
          />
        </label>
      ))}
      <button class="button button-quiet" type="submit">
        Apply<span class="visually-hidden"> to {facet}</span>
      </button>
    </form>
  )
  // Numbers that are not declared have nothing but their range.
  if (numbers && declared.values === undefined) return range
  return (
    <details class="further" id={`range-${facet}`} open={isUsed ? true : undefined}>
      <summary>{numbers ? 'Range' : 'Value, beginning, range'}</summary>
      {declared.values === undefined && !numbers ? (
        <form action={listPath(name, new URLSearchParams())} method="get" class="facet-form facet-row" data-swap>
          <HiddenInputs parameters={parameters} without={declared.kind === 'oneOf' ? [value] : []} />
          <label>
            <span>value</span>
            <input class="field" id={`add-${facet}`} name={value} autocomplete="off" spellcheck={false} required />
          </label>
          <button class="button" type="submit">
            Add<span class="visually-hidden"> a value of {facet}</span>
          </button>
        </form>
      ) : null}
      {range}
    </details>
  )
}

/** Returns declared values in their order, or known ones with the most items first; what is chosen is always among them. */
function valuesOf(
  { values }: Facet,
  known: Readonly<Record<string, number>> | undefined,
  chosen: readonly string[],
): readonly string[] {
  const told = Object.entries(known ?? {})
    .sort(([a, more], [b, less]) => less - more || (a < b ? -1 : 1))
    .map(([value]) => value)
  return [...new Set([...(values ?? []).map((value: FacetValue) => String(value)), ...told, ...chosen])]
}

function kindText({ kind, values, type }: Facet): string {
  const several = { oneOf: 'one of', anyOf: 'any of', eachOf: 'each of' }[kind]
  return values === undefined ? `${several} ${type ?? 'string'}s` : several
}

function conditionExample({ facets }: AnyCollection): string {
  const [[first, declared] = ['status', undefined]] = Object.entries(facets)
  const value = declared?.values?.[0] ?? (declared !== undefined && holdsNumbers(declared) ? 1 : 'x')
  return JSON.stringify({ NOT: { [first]: value } })
}
