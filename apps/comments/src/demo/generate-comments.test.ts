import { describe, expect, it } from 'vitest'
import { commentSchema } from '../comment.ts'
import { generateComments } from './generate-comments.ts'
import { MOST_POPULAR_PRODUCT } from './products.ts'

const SOME = { products: 50, comments: 8000, seed: 5 }

function countBy<T>(values: readonly T[]): Map<T, number> {
  const counts = new Map<T, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}

describe('made-up comments', () => {
  const comments = [...generateComments(SOME)]

  it('are as many as asked for, valid as they are, each with an id of its own', () => {
    expect(comments).toHaveLength(SOME.comments)
    for (const comment of comments) expect(commentSchema.parse(comment)).toEqual(comment)
    expect(new Set(comments.map(({ id }) => id)).size).toBe(SOME.comments)
  })

  it('are the same for the same seed and others for another', () => {
    expect([...generateComments(SOME)]).toEqual(comments)
    expect([...generateComments({ ...SOME, seed: 6 })][0]).not.toEqual(comments[0])
  })

  it('give most ratings at the ends, a J', () => {
    const share = (rating: number): number =>
      (countBy(comments.map((c) => c.rating)).get(rating) ?? 0) / comments.length
    expect(share(5)).toBeGreaterThan(0.48)
    expect(share(5)).toBeLessThan(0.62)
    expect(share(1)).toBeGreaterThan(share(2))
    expect(share(4)).toBeGreaterThan(share(3))
  })

  it('favour few products, 42 most of all, and use all languages', () => {
    const products = [...countBy(comments.map((c) => c.productId))].sort(([, a], [, b]) => b - a)
    expect(products[0]?.[0]).toBe(MOST_POPULAR_PRODUCT)
    expect(products[0]?.[1]).toBeGreaterThan(10 * (products.at(-1)?.[1] ?? 0))
    expect(products).toHaveLength(50)
    expect(countBy(comments.map((c) => c.language)).size).toBe(8)
  })

  it('come in order of time, with ties to the millisecond, busy days and edits', () => {
    const times = comments.map((c) => c.createdAt)
    expect(comments.filter((c, i) => i > 0 && c.createdAt < (times[i - 1] ?? '')).length).toBeLessThan(
      comments.length / 5,
    )
    expect(new Set(times).size).toBeLessThan(comments.length * 0.98)
    const days = [...countBy(times.map((time) => time.slice(0, 10))).values()]
    expect(Math.max(...days)).toBeGreaterThan(4 * (comments.length / days.length))
    const edited = comments.filter((c) => c.updatedAt !== null)
    expect(edited.length).toBeGreaterThan(comments.length * 0.03)
    for (const { version, updatedAt, createdAt } of edited) {
      expect(version).toBe(2)
      expect((updatedAt ?? '') > createdAt).toBe(true)
    }
  })

  it('have votes that few have many of, purchases that most have made, and answers above all to complaints', () => {
    const votes = comments.map((c) => c.helpful).sort((a, b) => a - b)
    expect(votes[Math.floor(votes.length / 2)]).toBeLessThan(4)
    expect(votes.at(-1)).toBeGreaterThan(40)
    expect(comments.filter((c) => c.verified).length / comments.length).toBeCloseTo(0.72, 1)
    const answered = (...ratings: readonly number[]): number => {
      const some = comments.filter((c) => ratings.includes(c.rating))
      return some.filter((c) => c.attached !== null).length / some.length
    }
    expect(answered(1, 2)).toBeGreaterThan(5 * answered(4, 5))
    for (const { attached, createdAt } of comments) expect((attached?.answer?.answeredAt ?? '9') > createdAt).toBe(true)
  })

  it('hardly repeat each other', () => {
    expect(new Set(comments.map((c) => c.text)).size).toBeGreaterThan(comments.length * 0.9)
  })

  it('can be none, or of one product', () => {
    expect([...generateComments({ products: 1, comments: 0, seed: 0 })]).toEqual([])
    expect(countBy([...generateComments({ products: 1, comments: 10, seed: 0 })].map((c) => c.productId))).toEqual(
      new Map([['42', 10]]),
    )
  })
})
