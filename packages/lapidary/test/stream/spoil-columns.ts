import { escapeComponent } from '../../src/model/key-text.ts'
import type { ListStep, SortedLists } from '../../src/pages/sorted-lists.ts'
import { PRODUCTS } from './workload.ts'

/** Takes some entries out of columns by hand, gives others the values of their neighbours, and adds some of items that are not there. */
export async function spoilColumns(columns: SortedLists, random: () => number): Promise<void> {
  const inspection = await columns.inspect?.()
  if (inspection === undefined) throw new Error('columns can be inspected')
  const steps: ListStep[] = []
  for (const group of PRODUCTS.map(escapeComponent)) {
    for await (const entries of inspection.entries(group)) {
      entries.forEach((entry, i) => {
        const other = entries[(i + 1) % entries.length]?.cell ?? entry.cell
        const chance = random()
        if (chance < 0.2) steps.push({ op: 'remove', ...entry })
        else if (chance < 0.4) steps.push({ op: 'add', ...entry, cell: other })
        else if (chance < 0.5)
          steps.push({ op: 'add', ...entry, place: { ...entry.place, member: `${entry.place.member}0` } })
      })
    }
  }
  const shardId = `by hand ${random()}`
  await columns.apply(
    shardId,
    steps.map((step, i) => ({ sequenceNumber: String(1_000 + i), steps: [step] })),
  )
}
