import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { type Comment, entryBytes } from './comments.ts'
import { entryOf } from './stored-comments.ts'

/** The attributes of a comment that every list holds; `s` is the name of a key. */
const SHOWN = ['PK', 'SK', 's', 'i', 'p', 'l', 'r', 'x', 'c']

/** The items of counts of one product as the change stream would keep them, counted here by themselves. */
export function statisticsItems(comments: readonly Comment[], partition: string): Record<string, AttributeValue>[] {
  const items = new Map<string, Map<string, number>>()
  const add = (key: string, name: string, amount: number): void => {
    const counters = items.get(key) ?? new Map<string, number>()
    items.set(key, counters)
    counters.set(name, (counters.get(name) ?? 0) + amount)
  }
  for (const comment of comments) {
    const { language, rating } = comment
    const entry = entryOf(comment)
    const shown = Object.fromEntries(SHOWN.map((name) => [name, entry[name] as AttributeValue]))
    const bytes = entryBytes(shown) - 's'.length
    for (const key of ['~', language]) {
      for (const value of [String(rating), 'total']) {
        add(key, `count_${value}`, 1)
        add(key, `bytes_${value}`, bytes)
      }
      add(key, 'sized_total', 1)
    }
  }
  return [...items].map(([key, counters]) => ({
    PK: { S: partition },
    SK: { S: key },
    ...Object.fromEntries([...counters].map(([name, count]) => [name, { N: String(count) }])),
  }))
}
