import { randomBytes } from 'node:crypto'
import { DeleteTableCommand } from '@aws-sdk/client-dynamodb'
import { createLapidary, type Item, type ListChange, type ListEntry, type ListStep, type PageStore } from 'lapidary'
import { advise, type PageIndexName, type PricedPageIndex, type WriteShares } from 'lapidary/advisor'
import { type Charged, observeWrites } from './observe-writes.ts'
import type { WorkloadCase } from './workload-case.ts'

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

/** Fills a page index in a table of its own, looks places up anywhere in it, and gives it changes in batches. */
export async function measuredPages(
  engine: Charged,
  { collection, item, otherValue }: Pick<WorkloadCase, 'collection' | 'item' | 'otherValue'>,
  { store, name, items, together, writes }: PageLoad,
  random: () => number,
): Promise<MeasuredPages> {
  const sample = Array.from({ length: 100 }, (_, i) => item(i, SCOPE))
  const { pages } = advise(collection, {
    ...{ writesPerSecond: 1, readsPerSecond: 1, writes, pages: { share: 1, together }, items: sample },
    scopes: [{ scopes: 1, items, reads: 1, writes: 1 }],
  })
  const expected = pages.indexes.find((index) => index.name === name)
  const { client } = engine
  const tableName = `things-${randomBytes(8).toString('hex')}`
  const cursorSecret = 'a secret that only the bench knows'
  const { table, things } = createLapidary({
    ...{ client, tableName, collections: { things: collection }, cursorSecret, derived: { pages: store } },
  })
  const {
    layout,
    codec,
    pages: [index],
  } = things.context
  if (index === undefined || expected === undefined) throw new Error(`the adviser says nothing of ${name}`)
  const entryOf = (one: Item): ListEntry =>
    index.entriesOf(layout.entriesOf(one, codec.toEntry(one as never))[0] ?? {})[0] as ListEntry
  await table.create()
  try {
    const stored = Array.from({ length: items }, (_, i) => item(i, SCOPE))
    const filling = await index.lists.fill()
    await filling.add(stored.map(entryOf))
    await filling.finish()

    const lookUp = async (i: number): Promise<number> => {
      const offset = Math.floor((items * i) / LOOK_UPS)
      const range = { lower: undefined, upper: undefined }
      return (await index.lists.select({ group: SCOPE, includes: () => true, ...range, ascending: false, offset })).rcu
    }
    // The first one reads whether the index is complete, too.
    await lookUp(0)
    let read = 0
    for (let i = 0; i < LOOK_UPS; i++) read += await lookUp(i)

    const units = observeWrites(engine)
    const [[facet = '', edits = 0] = []] = Object.entries(writes.edit ?? {})
    const kinds = shuffled(kindsOf({ delete: writes.delete ?? 0, edit: edits }), random)
    const changes = kinds.map((kind, i): ListChange => {
      const old = stored[Math.floor(random() * items)] as Item
      const steps: readonly ListStep[] =
        kind === 'create'
          ? [{ op: 'add', ...entryOf(item(items + i, SCOPE)) }]
          : kind === 'delete'
            ? [{ op: 'remove', ...entryOf(old) }]
            : [
                { op: 'remove', ...entryOf(old) },
                { op: 'add', ...entryOf({ ...old, [facet]: otherValue(facet, old[facet]) }) },
              ]
      return { sequenceNumber: String(1e9 + i), steps }
    })
    for (let i = 0; i < CHANGES; i += together) await index.lists.apply('shard', changes.slice(i, i + together))
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
