import { type Collection, indexes, LapidaryError, type Layout, nativeKeys, powerSet } from 'lapidary'
import { type AttributeCodec, knownOptions, type OptionNames } from 'lapidary/internal'
import { type CandidateIndex, candidateIndexes } from './candidate-indexes.ts'
import { byLayoutPrice, bySimplicity, contentsOf, TIED, tiesOf } from './choice.ts'
import { cheapestIndexes, declarations } from './index-search.ts'
import { type PageAdvice, pageAdvice } from './page-indexes.ts'
import { populationOf } from './population.ts'
import {
  type CapacityMode,
  loadIn,
  type PricedLayout,
  type Pricing,
  pricedLayout,
  type RefusedLayout,
} from './priced-layout.ts'
import { checkedPrices, type Prices, type PricesOfAll, US_EAST_1 } from './prices.ts'
import { reasonFor } from './reason.ts'
import { type SearchTime, searchTime } from './search-time.ts'
import { checkedWorkload, type Workload } from './workload.ts'

/** Options of the comparison. */
export interface AdviseOptions {
  /** DynamoDB's prices; {@link US_EAST_1} when not given. */
  readonly prices?: Prices
  /** The price to minimise; on demand when not given. */
  readonly mode?: CapacityMode
  /** The share of provisioned capacity that the mean load uses, above 0 to 1; 0.7 when not given. */
  readonly utilisation?: number
  /**
   * Codecs to compare, by a name to show; undefined stores items unpacked. When not given, the declared codec and none are compared. Only real
   * `items` tell what packing saves.
   */
  readonly codecs?: Readonly<Record<string, AttributeCodec | undefined>>
  /** Layouts to compare beside the sets of indexes, by a name to show; native keys and power sets when not given. */
  readonly layouts?: Readonly<Record<string, Layout>>
  /**
   * Seconds for the search among sets of indexes, 30 when not given. A search that runs out of time ends with the cheapest set so far, and
   * `search` says so. The time does not limit the pricing of what is declared.
   */
  readonly seconds?: number
  /** Ends the comparison, within some tens of milliseconds. */
  readonly signal?: AbortSignal
  /** Called a few times a second. */
  readonly onProgress?: (progress: AdviseProgress) => void
  /** Milliseconds since 1970; `Date.now` when not given. */
  readonly clock?: () => number
}

const NAMES: OptionNames<AdviseOptions> = {
  ...{ prices: true, mode: true, utilisation: true, codecs: true, layouts: true },
  ...{ seconds: true, signal: true, onProgress: true, clock: true },
}

/** The progress of the comparison. */
export interface AdviseProgress {
  readonly milliseconds: number
  /** How many sets of indexes were priced. */
  readonly sets: number
}

const SECONDS = 30
/** The share of the time for the search; the rest is for the layouts that its choice is compared with. */
const SEARCHED = 0.8

const OTHER_LAYOUTS: Readonly<Record<string, Layout>> = {
  'native keys': nativeKeys(),
  'power set': powerSet(),
  'power set, by the stream': powerSet({ kept: 'stream' }),
}

/** Layouts by price, and the one to use. */
export interface Advice {
  readonly choice: PricedLayout
  /** The reasons, in sentences. */
  readonly reason: readonly string[]
  /** All layouts that were priced, the cheapest first; those that DynamoDB would throttle last. */
  readonly layouts: readonly PricedLayout[]
  readonly refused: readonly RefusedLayout[]
  /** Names of the layouts that cost the same, as far as prices can be told beforehand: within {@link TIED} of the cheapest. */
  readonly ties: readonly string[]
  /** The page index to keep beside it, which costs the same in every layout. */
  readonly pages: PageAdvice
  /** The part of all sets of indexes that the search covered. */
  readonly search: SearchCoverage
  readonly prices: PricesOfAll
  readonly mode: CapacityMode
}

/** The part of all sets of indexes that the search covered, over all its layouts and codecs. */
export interface SearchCoverage {
  /** Indexes that may be worth their writes; the search is among all their sets. */
  readonly indexes: number
  readonly sets: number
  /** How many indexes there was time for, in the search that reached fewest. */
  readonly considered: number
  /** How many sets were priced; the others can't be cheaper, or the time ran out. */
  readonly priced: number
  /** Whether it is proven that no other set is cheaper by more than a thousandth. */
  readonly proven: boolean
  readonly milliseconds: number
}

/**
 * Compares layouts by the monthly price of a workload, and says which is cheapest and why. It reads and writes nothing.
 *
 * Write units come from the entries that the layout makes of typical items; read units from running the planner's plans on lists that are drawn
 * at random.
 *
 * @throws {LapidaryError} `bad_request` for a workload that can't be: zero reads, shares that do not add up to 1, facets that do not exist.
 * @example
 * ```ts run
 * const { choice, reason } = await advise(comments, {
 *   writesPerSecond: 5,
 *   readsPerSecond: 200,
 *   queries: [{ where: { language: 'en' }, share: 0.7 }, { where: { language: 'en', rating: [4, 5] }, share: 0.3 }],
 * })
 * console.log(choice.indexes, choice.price.onDemand, reason)
 * ```
 */
export async function advise(collection: Collection, workload: Workload, options: AdviseOptions = {}): Promise<Advice> {
  const { layouts = OTHER_LAYOUTS, seconds = SECONDS, ...given } = knownOptions('advise', options, NAMES)
  const { signal, clock = Date.now, onProgress } = given
  if (!(seconds > 0 && Number.isFinite(seconds)))
    throw new LapidaryError('bad_request', `seconds is ${seconds}; it has to be a number above 0`)
  let sets = 0
  const onBreath = (): void => onProgress?.({ milliseconds: time.elapsed(), sets })
  const time = searchTime({ signal, clock, onBreath })
  const compared = Object.entries({ indexes: indexes(), ...layouts })
  const stored = codecsOf(collection, workload, options).map(([codec, given]) => ({
    codec,
    pricing: pricingOf({ ...collection, codec: given }, workload, options, time),
  }))
  const [{ pricing: first }] = stored as [Stored, ...Stored[]]
  const candidates = candidateIndexes(collection, first.workload)
  const ways = stored.flatMap((each) => compared.map(([name, layout]) => ({ each, name, layout })))
  const declared: (PricedLayout | RefusedLayout)[] = []
  for (const { each, name, layout } of ways) {
    declared.push(await answer(each, layout, `${name}${declaredSuffix(collection, layout)}`))
  }
  const searched: SearchedLayout[] = []
  const searchable = ways.filter(({ layout }) => layout.capabilities.declaredIndexes)
  const whole = time.within(1000 * seconds)
  const timeToSearch = whole.within(1000 * seconds * SEARCHED)
  for (const [i, { each, name, layout }] of searchable.entries()) {
    const pricing = { ...each.pricing, time: timeToSearch.within(timeToSearch.left() / (searchable.length - i)) }
    const found = await searchIn({ ...each, pricing }, name, layout, candidates, () => {
      sets += 1
    })
    searched.push(found)
  }
  const answers = [...searched.flatMap(({ priced }) => priced ?? []), ...declared]
  const priced = answers.filter((one): one is PricedLayout => 'price' in one).toSorted(byLayoutPrice(first.mode))
  const refused = answers.filter((one): one is RefusedLayout => 'reason' in one)
  const ties = tiesOf(first.mode, priced)
  const simplicity = compared.map(([, { name }]) => name)
  const [choice] = ties.toSorted(bySimplicity(first.mode, simplicity))
  if (choice === undefined) {
    throw new LapidaryError(
      'query_not_plannable',
      `no layout answers all queries of the workload: ${refused.map(({ name, reason }) => `${name}: ${reason}`).join('; ')}`,
    )
  }
  const { pricing } = stored.find(({ codec }) => codec === choice.codec) ?? { pricing: first }
  const layout = compared.find(([, one]) => one.name === choice.layout)?.[1] ?? indexes()
  const tied = ties.filter((one) => one !== choice && contentsOf(one) !== contentsOf(choice)).map(({ name }) => name)
  return {
    choice,
    reason: [
      ...(await reasonFor({ ...pricing, time: whole }, layout, choice, priced, candidates)),
      ...(tied.length === 0
        ? []
        : [`${tied.join(', ')}: as cheap, as far as can be told beforehand (${100 * TIED} %).`]),
    ],
    layouts: priced,
    refused,
    ties: tied,
    pages: pageAdvice(pricing),
    search: {
      indexes: candidates.length,
      sets: 2 ** candidates.length,
      considered: Math.min(...searched.map(({ considered }) => considered), candidates.length),
      priced: sets,
      proven: searched.every(({ proven }) => proven),
      milliseconds: time.elapsed(),
    },
    prices: pricing.prices,
    mode: pricing.mode,
  }
}

/** The cheapest set of one layout, and how many of the candidates were considered. */
interface SearchedLayout {
  readonly priced: PricedLayout | undefined
  readonly proven: boolean
  readonly considered: number
}

/** One way to store the items, with the parts that prices are made from. */
interface Stored {
  readonly codec: string | undefined
  readonly pricing: Pricing
}

/** Returns the codecs to compare, by name, items as they are first. */
function codecsOf(
  { codec }: Collection,
  { items }: Workload,
  { codecs }: AdviseOptions,
): readonly (readonly [name: string | undefined, codec: AttributeCodec | undefined])[] {
  if (codecs !== undefined && items === undefined) {
    throw new LapidaryError(
      'bad_request',
      `the savings of ${Object.keys(codecs).join(', ')} can't be told from made-up texts; give real items (on the command line --sample), or no codecs`,
    )
  }
  if (items === undefined) return [[undefined, codec]]
  const packing = Object.entries(codecs ?? { 'as declared': codec }).filter(([, one]) => one !== undefined)
  return [[undefined, undefined], ...packing]
}

/** Finds the cheapest set of indexes, for a layout in which a collection can declare its indexes. */
async function searchIn(
  { pricing, codec }: Stored,
  name: string,
  layout: Layout,
  candidates: readonly CandidateIndex[],
  onSet: () => void,
): Promise<SearchedLayout> {
  const possible = candidates.filter((candidate) => canHaveIndex(pricing, layout, candidate))
  // A layout that can't hold the collection says so when it is priced with its default indexes.
  if (possible.length === 0) return { priced: undefined, proven: true, considered: candidates.length }
  const { members, priced, proven, considered } = await cheapestIndexes(pricing, layout, possible, onSet)
  const chosen = declarations(members.map((i) => possible[i] as CandidateIndex))
  const named = { name: `${name}, the cheapest set${codecSuffix(codec)}`, layout: layout.name, codec, indexes: chosen }
  return {
    priced: priced && pricedLayout(pricing, priced.priced, named),
    proven,
    considered: considered + candidates.length - possible.length,
  }
}

function codecSuffix(codec: string | undefined): string {
  return codec === undefined ? '' : `, ${codec}`
}

function canHaveIndex({ collection }: Pricing, layout: Layout, candidate: CandidateIndex): boolean {
  try {
    layout.of({ ...collection, indexes: declarations([candidate]) })
    return true
  } catch (error) {
    if (error instanceof LapidaryError) return false
    throw error
  }
}

function declaredSuffix({ indexes: declared }: Collection, { capabilities }: Layout): string {
  if (!capabilities.declaredIndexes) return ''
  return declared === undefined ? ', by default' : ', as declared'
}

/**
 * Prices a workload in one layout with the indexes that the collection declares. It tries no other indexes.
 *
 * @throws {LapidaryError} As {@link advise}, and `query_not_plannable` where the layout can't answer a query.
 * @example
 * ```ts run
 * const { price } = await priceLayout(comments, indexes(), { writesPerSecond: 5, readsPerSecond: 200 })
 * console.log(price.onDemand, price.provisioned)
 * ```
 */
export async function priceLayout(
  collection: Collection,
  layout: Layout,
  workload: Workload,
  options: Omit<AdviseOptions, 'layouts' | 'codecs' | 'seconds' | 'onProgress' | 'clock'> = {},
): Promise<PricedLayout> {
  const stored = {
    pricing: pricingOf(collection, workload, options, searchTime({ signal: options.signal, clock: Date.now })),
    codec: undefined,
  }
  const priced = await answer(stored, layout, layout.name)
  if ('price' in priced) return priced
  throw new LapidaryError('query_not_plannable', `the layout ${layout.name} was refused: ${priced.reason}`)
}

function pricingOf(
  collection: Collection,
  workload: Workload,
  { prices = US_EAST_1, mode = 'onDemand', utilisation = 0.7 }: AdviseOptions,
  time: SearchTime,
): Pricing {
  if (!(utilisation > 0 && utilisation <= 1))
    throw new LapidaryError('bad_request', `utilisation is ${utilisation}; it is a share above 0, up to 1`)
  const checked = checkedWorkload(collection, workload)
  const population = populationOf(collection, checked)
  return { collection, workload: checked, population, prices: checkedPrices(prices), mode, utilisation, time }
}

async function answer(
  { pricing, codec }: Stored,
  layout: Layout,
  called: string,
): Promise<PricedLayout | RefusedLayout> {
  const name = `${called}${codecSuffix(codec)}`
  try {
    const load = await loadIn(pricing, layout)
    if (load.answersAll) {
      const declared = layout.capabilities.declaredIndexes ? pricing.collection.indexes : undefined
      return pricedLayout(pricing, load, { name, layout: layout.name, codec, indexes: declared })
    }
    const unanswered = pricing.workload.queries.filter((_, i) => load.unitsOfQueries[i] === Number.POSITIVE_INFINITY)
    const [first] = unanswered.map(
      ({ query: { where, by } }) => `${JSON.stringify(where)}${by === undefined ? '' : ` by ${by}`}`,
    )
    return {
      name,
      layout: layout.name,
      reason: `it has no answer to ${first}${unanswered.length === 1 ? '' : ` and ${unanswered.length - 1} more of the queries`}`,
    }
  } catch (error) {
    if (!(error instanceof LapidaryError)) throw error
    return { name, layout: layout.name, reason: error.message }
  }
}
