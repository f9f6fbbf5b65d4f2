import { generateComments } from 'comments/demo'
import { anyOf, type Collection, defineCollection, eachOf, type Item, lookup, oneOf } from 'lapidary'
import { anySchema } from './any-schema.ts'
import { drawFrom, filling, idOf, type Shares, type WorkloadCase } from './workload-case.ts'

/** Makes a workload of one domain from a seed; the adviser was fitted to none of them. */
export type Domain = (random: () => number, seed: number) => WorkloadCase

const scope = { name: 'PARENT', attribute: 'parent' } as const
const base = { name: 'THING', schema: anySchema, id: 'id', scope } as const

function timeOf(number: number): string {
  return new Date(Date.UTC(2026, 0, 1) + number * 1000).toISOString()
}

function rates({ between }: ReturnType<typeof drawFrom>) {
  return {
    writesPerSecond: Math.exp(between(Math.log(0.5), Math.log(20))),
    readsPerSecond: Math.exp(between(Math.log(2), Math.log(100))),
  }
}

/** Orders of customers, by date and by amount: long names, a status that changes often, a few large scopes beside many small ones. */
const orders: Domain = (random) => {
  const draw = drawFrom(random)
  const status: Shares = [
    ['open', 0.04],
    ['paid', 0.06],
    ['sent', 0.1],
    ['delivered', 0.7],
    ['returned', 0.1],
  ]
  const ofChannel = draw.shares(3)
  const channels: Shares = ['shop', 'web', 'app'].map((value, i) => [value, ofChannel[i] ?? 0])
  const collection = defineCollection({
    ...{ ...base, order: 'orderedAt', orders: { amount: { attribute: 'total', type: 'number' } } },
    facets: {
      status: anyOf(
        status.map(([value]) => value as string),
        { frequencies: Object.fromEntries(status) },
      ),
      channel: oneOf(
        channels.map(([value]) => value as string),
        { frequencies: Object.fromEntries(channels) },
      ),
    },
    version: 'version',
  }) as unknown as Collection
  const itemBytes = draw.whole(300, 700)
  return {
    collection,
    workload: {
      ...rates(draw),
      writes: { create: 0.4, edit: { status: 0.5, note: 0.1 } },
      queries: [
        { limit: 20, share: 0.3 },
        { where: { status: ['open', 'paid'] }, limit: 20, share: 0.3 },
        { where: { status: 'returned', channel: 'web' }, limit: 10, share: 0.1 },
        { where: { channel: 'app' }, limit: 50, share: 0.1 },
        { by: 'amount', limit: 20, share: 0.2 },
      ],
      scopes: [
        { scopes: 2, items: 600, reads: 0.6, writes: 0.5 },
        { scopes: 12, items: 40, reads: 0.4, writes: 0.5 },
      ],
      frequencies: { status: Object.fromEntries(status), channel: Object.fromEntries(channels) },
      itemBytes,
    },
    item(number, parent) {
      const made = {
        ...{
          id: idOf(number),
          parent,
          orderedAt: timeOf(number),
          total: 1_000_000_000_000 + draw.whole(0, 900_000_000),
        },
        ...{ status: draw.pick(status), channel: draw.pick(channels), version: 1 },
      }
      return { ...made, ...filling(collection, made, 'note', itemBytes) }
    },
    otherValue: (name, value) =>
      draw.pick((name === 'status' ? status : channels).filter(([other]) => other !== value)),
  }
}

/** Articles of some KB, whose text only a look-up shows; an open facet of 20 topics, one of yes and no. */
const articles: Domain = (random) => {
  const draw = drawFrom(random)
  const weights = Array.from({ length: 20 }, (_, i) => 1 / (i + 1))
  const all = weights.reduce((sum, each) => sum + each, 0)
  const topics: Shares = weights.map((each, i) => [`topic-${i}`, each / all])
  const premium: Shares = [
    [true, 0.2],
    [false, 0.8],
  ]
  const itemBytes = draw.whole(900, 3_000)
  const lookupBytes = draw.whole(2_000, 9_000)
  const collection = defineCollection({
    ...{ ...base, order: 'at' },
    facets: {
      topic: oneOf('string', { frequencies: Object.fromEntries(topics) }),
      premium: oneOf('boolean', { frequencies: { true: 0.2, false: 0.8 } }),
    },
    attributes: { id: 'i', parent: 'p', at: 'a', topic: 't', premium: 'm', text: 'x', body: lookup('b') },
  }) as unknown as Collection
  return {
    collection,
    workload: {
      ...rates(draw),
      writes: { create: 0.5, delete: 0.1, edit: { text: 0.3, premium: 0.1 } },
      queries: [
        { limit: 10, share: 0.4 },
        { where: { topic: 'topic-0' }, limit: 10, share: 0.3 },
        { where: { topic: 'topic-7' }, limit: 10, share: 0.1 },
        { where: { topic: 'topic-2', premium: true }, limit: 10, share: 0.2 },
      ],
      scopes: [{ scopes: 4, items: draw.whole(150, 400), reads: 1, writes: 1 }],
      frequencies: {
        topic: Object.fromEntries(topics),
        premium: Object.fromEntries(premium.map(([value, share]) => [String(value), share])),
      },
      ...{ itemBytes, lookupBytes },
    },
    item(number, parent) {
      const made = {
        ...{ id: idOf(number), parent, at: timeOf(number) },
        ...{ topic: draw.pick(topics), premium: draw.pick(premium) },
      }
      return { ...made, ...filling(collection, made, 'text', itemBytes), body: 'b'.repeat(lookupBytes - 1) }
    },
    otherValue: (_, value) => value !== true,
  }
}

/** Events of a log: small, by the thousand, hardly ever changed. */
const events: Domain = (random) => {
  const draw = drawFrom(random)
  const ofKind = draw.shares(12)
  const kinds: Shares = ofKind.map((share, i) => [`kind-${i}`, share])
  const itemBytes = draw.whole(130, 260)
  const collection = defineCollection({
    ...{
      ...base,
      order: 'at',
      facets: {
        kind: anyOf(
          kinds.map(([value]) => value as string),
          { frequencies: Object.fromEntries(kinds) },
        ),
      },
    },
    attributes: { id: 'i', parent: 'p', at: 'a', kind: 'q', text: 'x' },
  }) as unknown as Collection
  return {
    collection,
    workload: {
      ...rates(draw),
      writes: { create: 0.98, delete: 0.02 },
      queries: [
        { limit: 50, share: 0.5 },
        { where: { kind: ['kind-0', 'kind-1', 'kind-2'] }, limit: 50, share: 0.3 },
        { where: { kind: 'kind-3' }, limit: 100, share: 0.2 },
      ],
      scopes: [
        { scopes: 1, items: 2_000, reads: 0.4, writes: 0.8 },
        { scopes: 10, items: 80, reads: 0.6, writes: 0.2 },
      ],
      frequencies: { kind: Object.fromEntries(kinds) },
      itemBytes,
    },
    item(number, parent) {
      const made = { id: idOf(number), parent, at: timeOf(number), kind: draw.pick(kinds) }
      return { ...made, ...filling(collection, made, 'text', itemBytes) }
    },
    otherValue: (_, value) => draw.pick(kinds.filter(([other]) => other !== value)),
  }
}

/** Tickets with tags, told by a sample of 300 others: an item has several entries, and each its own size. */
const tickets: Domain = (random) => {
  const draw = drawFrom(random)
  const status: Shares = [
    ['closed', 0.7],
    ['open', 0.2],
    ['pending', 0.1],
  ]
  const collection = defineCollection({
    ...{ ...base, order: 'at' },
    facets: {
      status: anyOf(['closed', 'open', 'pending'], { frequencies: Object.fromEntries(status) }),
      tags: eachOf(),
    },
  }) as unknown as Collection
  const item = (number: number, parent: string): Item => {
    const tags = ['login', 'slow', 'vip', 'billing', 'mobile'].filter((_, i) => draw.between(0, 1) < 0.5 / (i + 1))
    const made = { id: idOf(number), parent, at: timeOf(number), status: draw.pick(status), tags }
    return { ...made, ...filling(collection, made, 'text', draw.between(200, 900)) }
  }
  return {
    ...{ collection, item },
    workload: {
      ...rates(draw),
      writes: { create: 0.5, delete: 0.1, edit: { status: 0.3, text: 0.1 } },
      queries: [
        { limit: 20, share: 0.4 },
        { where: { tags: 'slow' }, limit: 20, share: 0.3 },
        { where: { status: ['open', 'pending'] }, limit: 20, share: 0.3 },
      ],
      scopes: [{ scopes: 6, items: draw.whole(100, 250), reads: 1, writes: 1 }],
      items: Array.from({ length: 300 }, (_, i) => item(50_000 + i, 'scope-00000000')),
    },
    otherValue: (_, value) => draw.pick(status.filter(([other]) => other !== value)),
  }
}

/** Lifelike comments in eight languages, told by a sample of others. */
const reviews: Domain = (random, seed) => {
  const draw = drawFrom(random)
  const made = [...generateComments({ products: 20, comments: 6_000, seed })].filter(({ text }) => text.length > 60)
  let next = 0
  const item = (number: number, parent: string): Item => {
    const { language, rating, title, text, author } = made[next++ % made.length] as (typeof made)[number]
    return { id: idOf(number), parent, at: timeOf(number), language, rating, title, text, author }
  }
  const sample = Array.from({ length: 400 }, (_, i) => item(50_000 + i, 'scope-00000000'))
  const sharesOf = (facet: string): Shares =>
    [...new Set(sample.map((one) => one[facet] as string | number))].map((value) => [
      value,
      sample.filter((one) => one[facet] === value).length / sample.length,
    ])
  const [languages, ratings] = [sharesOf('language'), sharesOf('rating')]
  return {
    collection: defineCollection({
      ...{ ...base, order: 'at' },
      facets: {
        language: oneOf('string', { frequencies: Object.fromEntries(languages) }),
        rating: anyOf([1, 2, 3, 4, 5], { frequencies: Object.fromEntries(ratings) }),
      },
      attributes: {
        ...{ id: 'i', parent: 'p', at: 'a', language: 'l', rating: 'r' },
        ...{ title: 't', text: 'x', author: 'w' },
      },
    }) as unknown as Collection,
    item,
    workload: {
      ...rates(draw),
      writes: { create: 0.85, delete: 0.05, edit: { rating: 0.05, text: 0.05 } },
      queries: [
        { limit: 20, share: 0.5 },
        { where: { language: 'en', rating: [4, 5] }, limit: 20, share: 0.3 },
        { where: { rating: [1, 2] }, limit: 20, share: 0.2 },
      ],
      scopes: [{ scopes: 6, items: draw.whole(120, 400), reads: 1, writes: 1 }],
      items: sample,
    },
    otherValue: (_, value) => draw.pick(ratings.filter(([other]) => other !== value)),
  }
}

export const DOMAINS: Readonly<Record<string, Domain>> = { orders, articles, events, tickets, reviews }
