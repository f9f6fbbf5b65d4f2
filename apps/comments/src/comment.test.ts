import { describe, expect, test } from 'vitest'
import { attachedTo, commentSchema, inPresentForm } from './comment.ts'

const BARE = {
  ...{ id: '1', productId: '42', language: 'en', rating: 5, title: '', text: 'Words', author: 'Ada' },
  ...{ createdAt: '2026-01-02T03:04:05.678Z', updatedAt: null, version: 1 },
}
const answer = { text: 'Thank you', answeredAt: '2026-01-03T03:04:05.678Z' }
const photos = [{ id: 'x'.repeat(22), width: 4, height: 3 }]

describe('what is attached to a comment', () => {
  test.each([
    ['nothing', {}, null],
    ['no answer', { answer: null }, null],
    ['an answer', { answer }, { answer }],
    ['photos', { photos }, { photos }],
    ['both', { answer, photos }, { answer, photos }],
    ['both as they are stored', { attached: { answer, photos } }, { answer, photos }],
    ['an answer as it was stored by itself', { attached: answer }, { answer }],
    ['nothing as it is stored', { attached: null }, null],
    ['an answer beside what is stored', { attached: { photos }, answer }, { answer, photos }],
    ['an answer that is taken away', { attached: { answer, photos }, answer: null }, { photos }],
  ])('is one attribute, of %s', (_, sent, attached) => {
    const stored = commentSchema.parse({ ...BARE, ...sent })
    expect(stored.attached).toEqual(attached)
    expect(stored.answered).toBe(attached !== null && 'answer' in attached)
    // What was stored is taken again, as by an import of an export.
    expect(commentSchema.parse(stored)).toEqual(stored)
  })

  test.each([
    [5, 'attached'],
    ['text', 'attached'],
    [true, 'attached'],
    [[], 'attached'],
    [{ text: 'by itself' }, 'attached.answer.answeredAt'],
    [{ photos: [{ ...photos[0], id: '../secret' }] }, 'attached.photos.0.id'],
    [{ photos: Array(5).fill(photos[0]) }, 'attached.photos'],
  ])('is refused by name where it is %j', (attached, path) => {
    const { error } = commentSchema.safeParse({ ...BARE, attached })
    expect(error?.issues.map((issue) => issue.path.join('.'))).toEqual([path])
  })

  test('is read of a comment that was held in the earlier form', () => {
    const held = { ...commentSchema.parse(BARE), attached: undefined, answer } as never
    expect(attachedTo(held)).toEqual({ answer, photos: [] })
    expect(inPresentForm(held)).toMatchObject({ attached: { answer } })
    expect(inPresentForm(held)).not.toHaveProperty('answer')
  })
})
