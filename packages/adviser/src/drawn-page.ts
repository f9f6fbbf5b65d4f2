import type { Plan, Position } from 'lapidary'
import {
  BLOCK_RCU,
  itemsLacking,
  knownSelection,
  type MergedSource,
  mergeCertain,
  narrowed,
  planSources,
  readPrice,
  type SeenSource,
  type SourceNode,
  seededRandom,
  topUp,
} from 'lapidary/internal'
import type { Population } from './population.ts'

/** The number of scopes that a plan is run on: their mean is off by a fourteenth of the spread of pages. */
const DRAWN_SCOPES = 200
/** The number of scopes where a page reads a long list to its end: such pages hardly differ. */
const LEAST_SCOPES = 10
const MOST_ENTRIES = 200_000

/**
 * Returns the mean RCU of a first page as the executor reads it: it runs the plan, with its top-ups, on lists drawn at random. The price of a
 * page goes by steps (blocks, ends of lists, rounds), so it is not the price for average lists. All plans run on draws of the same seeds.
 *
 * @param items The number of items in the scope.
 */
export function meanPageRcu(plan: Plan, items: number, population: Pick<Population, 'share' | 'values'>): number {
  const known = drawnPages.get(population) ?? new Map<string, number>()
  drawnPages.set(population, known)
  const name = JSON.stringify([plan.query.limit, plan.root, plan.roundPrice, plan.trust, items])
  const rcu = known.get(name) ?? drawnPageRcu(plan, items, population)
  known.set(name, rcu)
  return rcu
}

/** Most sets of indexes share most of their plans, so prices are kept by plan. */
const drawnPages = new WeakMap<object, Map<string, number>>()

function drawnPageRcu(plan: Plan, items: number, { share, values }: Pick<Population, 'share' | 'values'>): number {
  const lists = planSources(plan).map(({ source, residual, also, hitRate }): DrawnList => {
    const { holds, part = 1 } = source.list
    const held = share(holds)
    // The plan may not know the values in a range.
    const known = knownSelection(residual, values)
    const isKnown = also === undefined && held > 0 && Object.keys(known).length === Object.keys(residual).length
    return { source, held: part * held, passed: isKnown ? share(narrowed(holds, known)) / held : hitRate }
  })
  let [drawn, rcu, entries] = [0, 0, 0]
  for (; drawn < DRAWN_SCOPES && (drawn < LEAST_SCOPES || entries < MOST_ENTRIES); drawn++) {
    for (const reader of drawPage(plan, lists, items, seededRandom(drawn))) {
      rcu += reader.rcu
      entries += reader.actual.itemsRead
    }
  }
  return rcu / drawn
}

/** Reads a page as `execute` does, without a table. */
function drawPage(
  plan: Plan,
  lists: readonly DrawnList[],
  items: number,
  random: () => number,
): readonly DrawnReader[] {
  const readers = lists.map((list, i) => new DrawnReader(list, { items, random, id: String(i) }))
  const emitted: DrawnHead[] = []
  for (let isFirst = true; ; isFirst = false) {
    mergeCertain(readers, emitted, plan.query.limit, true)
    const lacking = itemsLacking(readers, emitted.length, plan.query.limit)
    if (lacking === 0) return readers
    const sizes = isFirst ? readers.map(({ source }) => source.fetch) : topUp(plan, readers, lacking)
    readers.forEach((reader, i) => {
      reader.fetch(sizes[i] ?? 0)
    })
  }
}

interface DrawnHead {
  readonly position: Position
}

/** A list of a plan: the chance that an item of the scope is in it, and the chance that the filter then lets it through. */
interface DrawnList {
  readonly source: SourceNode
  readonly held: number
  readonly passed: number
}

interface Draw {
  /** The number of items in the scope. */
  readonly items: number
  readonly random: () => number
  /** A text that tells positions of lists apart. */
  readonly id: string
}

/** A list that holds each item of a scope by chance, read as DynamoDB returns and charges it. */
class DrawnReader implements MergedSource<DrawnHead>, SeenSource {
  readonly source: SourceNode
  readonly actual = { itemsRead: 0, withheld: 0 }
  readonly passed = { entries: 0 }
  rcu = 0
  used = 0
  readonly leftOut = 0
  exhausted = false
  frontier: Position | undefined
  readonly #list: DrawnList
  readonly #draw: Draw
  readonly #buffer: DrawnHead[] = []
  /** The rank in the scope of the entry that is read next; beyond its items where the list ends. */
  #rank = 0

  constructor(list: DrawnList, draw: Draw) {
    this.source = list.source
    this.#list = list
    this.#draw = draw
    this.#advance()
  }

  get head(): DrawnHead | undefined {
    return this.#buffer[this.used]
  }

  get buffered(): number {
    return this.#buffer.length - this.used
  }

  get blocking(): boolean {
    return !this.exhausted && this.buffered === 0
  }

  drop(): void {
    this.used++
  }

  take(): void {
    this.drop()
  }

  /** Reads as a Query with this limit: one that gets them all does not see that the list ends there. */
  fetch(limit: number): void {
    if (limit === 0) return
    const { passed } = this.#list
    const { items, random, id } = this.#draw
    let read = 0
    for (; read < limit && this.#rank <= items; read++) {
      this.frontier = { order: this.#rank, id }
      if (passed >= 1 || random() < passed) {
        this.#buffer.push({ position: this.frontier })
        this.passed.entries++
      }
      this.#advance()
    }
    this.actual.itemsRead += read
    this.exhausted = read < limit
    this.rcu += Math.max(BLOCK_RCU, readPrice(read, this.source.size))
  }

  /** Draws the gap to the next item. Where each item is in the list with the same chance, gaps are geometric. */
  #advance(): void {
    const { held } = this.#list
    this.#rank += held >= 1 ? 1 : 1 + Math.floor(Math.log(1 - this.#draw.random()) / Math.log1p(-held))
  }
}
