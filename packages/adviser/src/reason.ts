import { type IndexDeclaration, LapidaryError, type Layout } from 'lapidary'
import type { CandidateIndex } from './candidate-indexes.ts'
import { loadIn, type PricedLayout, type Pricing, pricedLayout } from './priced-layout.ts'

/** The share of what one partition can take above which the reason mentions it. */
const WARM = 0.5

/** Explains why a layout is the choice: how much more others cost, what each of its indexes saves, and which index would be the next best. */
export async function reasonFor(
  pricing: Pricing,
  layout: Layout,
  choice: PricedLayout,
  priced: readonly PricedLayout[],
  candidates: readonly CandidateIndex[],
): Promise<readonly string[]> {
  const { mode } = pricing
  const next = priced.find((other) => other !== choice && other.price[mode] > choice.price[mode])
  const cost = choice.price[mode]
  const share = (part: number): string => `${Math.round((100 * part) / (choice.price.onDemand || 1))} %`
  const { writes, reads, storage } = choice.price
  const sentences = [
    `${choice.name} costs ${dollars(cost)} a month${next === undefined ? '' : `, ${dollars(next.price[mode] - cost)} less than ${next.name}`}.`,
    `On demand, writes are ${share(writes)} of its price, reads ${share(reads)}, storage ${share(storage)}.`,
  ]
  if (choice.indexes !== undefined)
    sentences.push(...(await neighbourReasons(pricing, layout, choice, choice.indexes, candidates)))
  const { hottest } = choice
  if (hottest.share > 1)
    sentences.push(
      `No layout here keeps its hottest partition below what DynamoDB serves: ${hottest.partition} of ${hottest.index} takes ${Math.round(100 * hottest.share)} %. Split the scope, or put a facet into the key that its writes are spread over.`,
    )
  else if (hottest.share > WARM)
    sentences.push(
      `The partition ${hottest.partition} of ${hottest.index} takes ${Math.round(100 * hottest.share)} % of what one can, on average: peaks of it are throttled.`,
    )
  return sentences
}

async function neighbourReasons(
  pricing: Pricing,
  layout: Layout,
  choice: PricedLayout,
  chosen: Readonly<Record<string, IndexDeclaration>>,
  candidates: readonly CandidateIndex[],
): Promise<readonly string[]> {
  const more = async (indexes: Readonly<Record<string, IndexDeclaration>>): Promise<number> => {
    const load = await loadIn(pricing, layout, indexes)
    if (!load.answersAll) return Number.POSITIVE_INFINITY
    const named = { name: '', layout: layout.name, codec: choice.codec, indexes }
    return pricedLayout(pricing, load, named).price[pricing.mode] - choice.price[pricing.mode]
  }
  const kept: string[] = []
  for (const name of Object.keys(chosen)) {
    const { [name]: _, ...others } = chosen
    const price = await more(others)
    kept.push(
      price === Number.POSITIVE_INFINITY
        ? `Without ${name} some query could not be answered.`
        : `Without ${name} it would cost ${dollars(price)} more.`,
    )
  }
  const left: { readonly name: string; readonly price: number }[] = []
  for (const { name, declaration } of candidates.filter((candidate) => !Object.hasOwn(chosen, candidate.name))) {
    // Without time to compare all others, the next best is not named.
    if (pricing.time.isOver()) return kept
    try {
      left.push({ name, price: await more({ ...chosen, [name]: declaration }) })
    } catch (error) {
      // The table would have too many indexes.
      if (!(error instanceof LapidaryError)) throw error
    }
  }
  const [added] = left.toSorted((a, b) => a.price - b.price)
  return [
    ...kept,
    ...(added === undefined
      ? []
      : [`Of the indexes left out, ${added.name} costs least: ${dollars(added.price)} more.`]),
  ]
}

/** Writes an amount as `$12.30`; below ten cents with as many digits as say something. */
export function dollars(amount: number): string {
  return amount === 0 || Math.abs(amount) >= 0.1 ? `$${amount.toFixed(2)}` : `$${amount.toPrecision(2)}`
}
