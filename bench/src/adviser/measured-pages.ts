import { randomBytes } from 'node:crypto'
import { DeleteTableCommand } from '@aws-sdk/client-dynamodb'
import {
  type CollectionClient,
  createLapidary,
  type Facets,
  type Item,
  type ListChange,
  type ListEntry,
  type ListStep,
  type PageStore,
} from 'lapidary'
import { advise, type PageIndexName, type PricedPageIndex, type WriteShares } from 'lapidary-adviser'
import { type Charged, observeWrites } from './observe-writes.ts'
import type { WorkloadCase } from './workload-case.ts'

type PageIndex = CollectionClient<unknown, Facets>['context']['pages'][number]

/** What a page index is asked to do: one scope of so many items, and what changes it. */
export interface PageLoad {
  readonly store: PageStore
  readonly name: PageIndexName
  readonly items: number
  /** Changes that come at once. */
  readonly together: number
  /** Shares of creating, deleting and editing a facet. */
  readonly writes: WriteShares
}

/** What a page index takes, and should take: units of a write, and of finding a place. */
export interface MeasuredPages {
  readonly expected: Pick<PricedPageIndex, 'unitsPerWrite' | 'unitsPerLookUp'>
  readonly unitsPerWrite: number
  readonly unitsPerLookUp: number
}

const SCOPE = 'scope-00000001'
/** Of two blocks of markers and some: what one takes depends on how full the last one is. */
const CHANGES = 120
const LOOK_UPS = 12
/** Of what is not measured. */
const TOGETHER = 25

type Changed = readonly [before: Item | undefined, after: Item | undefined]

/** Fills the page indexes of a collection in a table of their own, looks places up anywhere in the first one, and gives all of them changes in batches. */
export async function measuredPages(
  engine: Charged,
  { collection, item, otherValue }: Pick<WorkloadCase, 'collection' | 'item' | 'otherValue'>,
  { store, name, items, together, writes }: PageLoad,
  random: () => number,
): Promise<MeasuredPages> {
  const sample = Array.from({ length: 100 }, (_, i) => item(i, SCOPE))
  // One query: what is asked of lists has no part in what a page index costs, and takes a search among sets of indexes.
  const asked = { writesPerSecond: 1, readsPerSecond: 1, writes, queries: [{ share: 1 }] }
  const expectedOf = async (size: number): Promise<PricedPageIndex> => {
    const scopes = [{ scopes: 1, items: size, reads: 1, writes: 1 }]
    const pricing = { ...asked, scopes, pages: { share: 1, together }, items: sample }
    const { pages } = await advise(collection, pricing, { layouts: {} })
    const found = pages.indexes.find((index) => index.name === name)
    if (found === undefined) throw new Error(`the adviser says nothing of ${name}`)
    return found
  }
  // Places are looked up before the changes. Those make a small scope half as large again and more: its mean over the sizes, by Simpson's rule.
  const added = CHANGES * ((writes.create ?? 0) - (writes.delete ?? 0))
  const [begun, half, ended] = await Promise.all(
    [0, 0.5, 1].map(async (share) => (await expectedOf(items + share * added)).unitsPerWrite),
  )
  const unitsPerWrite = ((begun ?? 0) + 4 * (half ?? 0) + (ended ?? 0)) / 6
  const expected = { unitsPerLookUp: (await expectedOf(items)).unitsPerLookUp, unitsPerWrite }
  const { client } = engine
  const tableName = `things-${randomBytes(8).toString('hex')}`
  const cursorSecret = 'a secret that only the bench knows'
  const { table, things } = createLapidary({
    ...{ client, tableName, collections: { things: collection }, cursorSecret, derived: { pages: store } },
  })
  const { layout, codec, pages: kept } = things.context
  const [index] = kept
  if (index === undefined) throw new Error('the collection has no page index')
  const entriesIn = ({ entriesOf }: PageIndex, one: Item): readonly ListEntry[] =>
    entriesOf(layout.entriesOf(one, codec.toEntry(one as never))[0] ?? {})
  let changes = 0
  const applyTo = async (pages: PageIndex, changed: readonly Changed[], count: number): Promise<void> => {
    const stepsOf = (op: 'add' | 'remove', one: Item | undefined): readonly ListStep[] =>
      one === undefined ? [] : entriesIn(pages, one).map((entry) => ({ op, ...entry }))
    const all = changed.map(
      ([before, after]): ListChange => ({
        sequenceNumber: String(1e9 + changes++),
        steps: [...stepsOf('remove', before), ...stepsOf('add', after)],
      }),
    )
    for (let i = 0; i < all.length; i += count) await pages.lists.apply('shard', all.slice(i, i + count))
  }
  await table.create()
  try {
    const stored = Array.from({ length: items }, (_, i) => item(i, SCOPE))
    for (const each of kept) {
      const filling = await each.lists.fill()
      // What is filled at once is full. Where items have a place anywhere, it becomes as full as they make it.
      if (each === index) await filling.add(stored.flatMap((one) => entriesIn(each, one)))
      await filling.finish()
      if (each !== index)
        await applyTo(
          each,
          stored.map((one) => [undefined, one] as const),
          TOGETHER,
        )
    }

    const lookUp = async (i: number): Promise<number> => {
      const offset = Math.floor((items * i) / LOOK_UPS)
      const range = { lower: undefined, upper: undefined }
      return (await index.lists.select({ groups: [SCOPE], includes: () => true, ...range, ascending: false, offset }))
        .rcu
    }
    // The first one reads whether the index is complete, too.
    await lookUp(0)
    let read = 0
    for (let i = 0; i < LOOK_UPS; i++) read += await lookUp(i)

    const units = observeWrites(engine)
    const [[facet = '', edits = 0] = []] = Object.entries(writes.edit ?? {})
    const kinds = shuffled(kindsOf({ delete: writes.delete ?? 0, edit: edits }), random)
    // Each change is of what the ones before it left: an item is deleted once, and edited from the value that it has.
    const living = [...stored]
    const changed = kinds.map((kind, i): Changed => {
      if (kind === 'create') {
        const made = item(items + i, SCOPE)
        living.push(made)
        return [undefined, made]
      }
      const at = Math.floor(random() * living.length)
      const old = living[at] as Item
      const after = kind === 'delete' ? undefined : { ...old, [facet]: otherValue(facet, old[facet]) }
      living.splice(at, 1, ...(after === undefined ? [] : [after]))
      return [old, after]
    })
    for (const each of kept) await applyTo(each, changed, together)
    return { expected, unitsPerWrite: units.written / CHANGES, unitsPerLookUp: read / LOOK_UPS }
  } finally {
    await client.send(new DeleteTableCommand({ TableName: tableName }))
    client.destroy()
  }
}

type Kind = 'create' | 'delete' | 'edit'

function kindsOf(shares: { readonly delete: number; readonly edit: number }): readonly Kind[] {
  const [deletes, edits] = [Math.round(CHANGES * shares.delete), Math.round(CHANGES * shares.edit)]
  return Array.from({ length: CHANGES }, (_, i) => (i < deletes ? 'delete' : i < deletes + edits ? 'edit' : 'create'))
}

/** As their changes come: in any order. */
function shuffled<T>(all: readonly T[], random: () => number): readonly T[] {
  return all
    .map((each) => [random(), each] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, each]) => each)
}
