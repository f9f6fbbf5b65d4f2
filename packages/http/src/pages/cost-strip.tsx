import type { JSX } from 'hono/jsx/jsx-runtime'
import { type CostPart, millionPages, type ReadPrice } from './cost-parts.ts'
import { markOf, PartMark } from './part-mark.tsx'
import type { PictureFormat } from './picture-format.ts'
import type { PictureWords } from './picture-words.ts'

export interface CostStripProps {
  /** All that the page read, in the order of its plan. */
  readonly parts: readonly CostPart[]
  readonly words: PictureWords
  readonly format: PictureFormat
  readonly price: ReadPrice & { readonly region: string; readonly date: string }
}

/** Lists of which each is named; more are one part. */
const MOST_NAMED = 6

/** Shows what a page took as one bar, each of its parts in its colour, with the expected RCU beside those used, and what a million such pages cost. */
export function CostStrip({ parts, words, format, price }: CostStripProps): JSX.Element | null {
  const { rcu } = format
  const total = parts.reduce((sum, part) => sum + (part.rcu ?? 0), 0)
  const expected = parts.reduce((sum, part) => sum + (part.expected ?? 0), 0)
  const share = (part: CostPart): number => (total === 0 ? 0 : (100 * (part.rcu ?? 0)) / total)
  let at = 0
  return (
    <>
      <svg class="cost-strip" height="18" aria-hidden="true">
        <rect class="lane-track" width="100%" height="18" />
        {parts.map((part) => {
          const x = at
          at += share(part)
          return <rect class={markOf(part)} x={`${x.toFixed(2)}%`} width={`${share(part).toFixed(2)}%`} height="18" />
        })}
      </svg>
      <ul class="cost-parts">
        <li class="cost-all">
          {words.all} <b>{rcu(total)} RCU</b> <span class="expected">{words.expected(rcu(expected))}</span>
        </li>
        {named(parts).map((part) => (
          <li>
            <PartMark part={part} /> {nameOf(part, words, format)} <b>{rcu(part.rcu ?? 0)}</b>
            {part.expected === undefined ? null : <span class="expected"> {words.expected(rcu(part.expected))}</span>}
          </li>
        ))}
      </ul>
      <p class="cost-price">
        {words.millionPages(format.money(millionPages(total, price)))}{' '}
        <span class="expected">({words.prices(price.region, price.date)})</span>
      </p>
    </>
  )
}

/** A part as it is named beside the bar. */
interface NamedPart extends CostPart {
  /** The number of lists that it stands for. */
  readonly lists?: number
}

function named(parts: readonly CostPart[]): readonly NamedPart[] {
  const lists = parts.filter(({ list }) => list !== undefined)
  if (lists.length <= MOST_NAMED) return parts
  const rcu = lists.reduce((sum, part) => sum + (part.rcu ?? 0), 0)
  const expected = lists.reduce((sum, part) => sum + (part.expected ?? 0), 0)
  return [{ kind: 'source', expected, rcu, lists: lists.length }, ...parts.filter(({ list }) => list === undefined)]
}

function nameOf({ kind, name, lists }: NamedPart, words: PictureWords, { number }: PictureFormat): string {
  if (lists !== undefined) return words.lists(number(lists))
  if (name !== undefined) return name
  if (kind === 'source') return words.parts.list
  return kind in words.parts ? words.parts[kind as keyof PictureWords['parts']] : kind
}
