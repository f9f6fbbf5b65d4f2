import { anyOf, type Collection, defineCollection, type FacetValue, type Item, lookup, oneOf } from 'lapidary'
import type { QueryShare } from 'lapidary-adviser'
import { anySchema } from './any-schema.ts'
import { drawFrom, filling, idOf, type WorkloadCase } from './workload-case.ts'

/** A made-up collection of one to three facets with a workload on it, all from one seed. */
export function randomWorkload(random: () => number): WorkloadCase {
  const { between, whole, shares, pick } = drawFrom(random)
  const facets = Array.from({ length: whole(1, 3) }, (_, f) => {
    const count = whole(2, 5)
    const of = shares(count)
    return { name: `facet${f}`, set: random() < 0.6, shares: of.map((share, i) => [`v${f}${i}`, share] as const) }
  })
  const itemBytes = Math.round(between(150, 900))
  const declared = Object.fromEntries(
    facets.map(({ name, set, shares: of }) => {
      const values = of.map(([value]) => value)
      const frequencies = Object.fromEntries(of)
      return [name, set ? anyOf(values, { frequencies }) : oneOf(values, { frequencies })]
    }),
  )
  const isShort = random() < 0.5
  const collection = defineCollection({
    name: 'THING',
    schema: anySchema,
    id: 'id',
    scope: { name: 'PARENT', attribute: 'parent' },
    order: 'at',
    facets: declared,
    version: 'version',
    itemBytes,
    ...(isShort
      ? {
          attributes: {
            ...{ id: 'i', parent: 'p', at: 'c', version: 'v', text: 'x', note: lookup('n') },
            ...Object.fromEntries(facets.map(({ name }, f) => [name, `f${f}`])),
          },
        }
      : {}),
  })

  const queryShares = shares(whole(2, 5))
  const queries = queryShares.map((share): QueryShare => {
    const where = Object.fromEntries(
      facets
        .filter(() => random() < 0.6)
        .map(({ name, set, shares: of }) => {
          const chosen = new Set(Array.from({ length: set ? whole(1, of.length - 1) : 1 }, () => pick(of)))
          return [name, set ? [...chosen] : ([...chosen][0] as string)]
        }),
    )
    return { where, limit: whole(5, 30), share }
  })
  const [create = 1, deletes = 0, text = 0, facet = 0] = shares(4)
  const edited = facets[whole(0, facets.length - 1)]?.name ?? ''
  const workload = {
    writesPerSecond: Math.exp(between(Math.log(0.5), Math.log(20))),
    readsPerSecond: Math.exp(between(Math.log(2), Math.log(100))),
    writes: { create, delete: deletes, edit: { text, [edited]: facet } },
    queries,
    scopes: [{ scopes: 4, items: whole(60, 160), reads: 1, writes: 1 }],
    itemBytes,
    lookupBytes: isShort ? Math.round(between(0, 400)) : 0,
  }
  const item = (number: number, scope: string): Item => {
    const values = Object.fromEntries(facets.map(({ name, shares: of }) => [name, pick(of)]))
    const made = {
      ...{ id: idOf(number), parent: scope, version: 1 },
      at: new Date(Date.UTC(2026, 0, 1) + number * 1000).toISOString(),
      ...values,
    }
    const note = workload.lookupBytes - 1
    return {
      ...{ ...made, ...filling(collection as Collection, made, 'text', itemBytes) },
      ...(note > 0 ? { note: 'n'.repeat(note) } : {}),
    }
  }
  return {
    ...{ collection: collection as Collection, workload, item },
    otherValue: (name, value): FacetValue =>
      pick((facets.find((one) => one.name === name)?.shares ?? []).filter(([other]) => other !== value)),
  }
}
