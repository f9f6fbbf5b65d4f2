import { UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { type createLapidary, LapidaryError, layoutNamed, tableFor } from 'lapidary'
import { describe, expect, onTestFinished, test } from 'vitest'
import { commentsIn } from '../../src/comment.ts'
import { inLayout } from '../../src/in-layout.ts'
import { authorshipId, authorships } from '../../src/people/authorships.ts'
import { cases } from '../../src/people/cases.ts'
import { answerComment, decide, reportComment } from '../../src/people/moderation.ts'
import { editComment, ownComment, removeComment, writeComment } from '../../src/people/own-comments.ts'
import type { Person } from '../../src/people/person.ts'
import { gallery } from '../../src/photos/gallery.ts'
import { LAYOUTS, useTestApp } from '../test-app.ts'

const ada = { id: 'customer-1', name: 'Ada' }
const ben = { id: 'customer-2', name: 'Ben' }
const fields = { rating: 4, language: 'en', title: 'A title', text: 'A text' }
const atOnce = { waits: false, verified: false }
const later = { waits: true, verified: true }

test.each(LAYOUTS)('the private records need no index of their own, and widen none: %s', (name) => {
  const layout = layoutNamed(name)
  const own = { comments: commentsIn(name) }
  const all = {
    ...own,
    cases: inLayout(cases, name),
    authorships: inLayout(authorships, name),
    gallery: inLayout(gallery, name),
  }
  const table = (collections: Parameters<typeof createLapidary>[0]['collections']) =>
    tableFor({ tableName: 'comments', collections, layout })
  expect(table(all)).toEqual(table(own))
})

test('the id of an authorship tells persons and products apart, however they are written', () => {
  const ids = [
    authorshipId({ id: 'a' }, 'bc'),
    authorshipId({ id: 'ab' }, 'c'),
    authorshipId({ id: '["a","b"]' }, 'c'),
    authorshipId({ id: 'a","b' }, 'c'),
  ]
  expect(new Set(ids).size).toBe(ids.length)
})

describe('one comment a person and product', () => {
  const { services } = useTestApp()

  test('of twenty posts at once, shown or waiting, one is written', async () => {
    const posts = Array.from({ length: 20 }, (_, i) =>
      writeComment(services, ada, 'race', { ...fields, title: String(i) }, i % 2 === 0 ? atOnce : later),
    )
    const outcomes = await Promise.allSettled(posts)
    const written = outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    expect(written).toHaveLength(1)
    const refused = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
    for (const each of refused)
      expect(each).toMatchObject({ code: 'already_exists', details: { commentId: written[0]?.comment.id } })
    const { items } = await services.comments.list({ scope: 'race' })
    expect(items).toHaveLength(written[0]?.isShown ? 1 : 0)
    expect((await ownComment(services, ada, 'race'))?.comment).toMatchObject(written[0]?.comment ?? {})
  })

  test('while it moves between readers and moderators, no second one is written', async () => {
    const { comment } = await writeComment(services, ada, 'moving', fields, atOnce)
    const moving = (async () => {
      for (let i = 0; i < 10; i++) await decide(services, comment.id, i % 2 === 0 ? 'hidden' : 'shown')
    })()
    const posting = Array.from({ length: 10 }, () =>
      expect(writeComment(services, ada, 'moving', fields, atOnce)).rejects.toMatchObject({ code: 'already_exists' }),
    )
    await Promise.all([moving, ...posting])
    expect((await services.comments.list({ scope: 'moving' })).items.map(({ id }) => id)).toEqual([comment.id])
  })

  test('a comment that was deleted behind its author makes room for another', async () => {
    const { comment } = await writeComment(services, ada, 'gone', fields, atOnce)
    await services.comments.delete(comment.id)
    const posts = await Promise.allSettled(
      Array.from({ length: 5 }, () => writeComment(services, ada, 'gone', fields, atOnce)),
    )
    const written = posts.flatMap((each) => (each.status === 'fulfilled' ? [each.value.comment.id] : []))
    expect(written).toHaveLength(1)
    expect((await services.comments.list({ scope: 'gone' })).items.map(({ id }) => id)).toEqual(written)
    expect(written).not.toEqual([comment.id])
  })

  test('two plans that fail at once fail one post, and leave no rejection that ends the process', async () => {
    const { comment } = await writeComment(services, ada, 'fails', fields, atOnce)
    await services.comments.delete(comment.id)
    const refused = async (): Promise<never> => {
      throw new LapidaryError('unprocessable', 'refused by the test')
    }
    const unheard: unknown[] = []
    const listener = (error: unknown) => unheard.push(error)
    process.on('unhandledRejection', listener)
    onTestFinished(() => void process.off('unhandledRejection', listener))
    const { authorships } = services.people
    const failing = {
      comments: { ...services.comments, writes: { ...services.comments.writes, create: refused } },
      people: {
        ...services.people,
        authorships: { ...authorships, writes: { ...authorships.writes, replace: refused } },
      },
    }
    await expect(writeComment(failing, ada, 'fails', fields, atOnce)).rejects.toThrow('refused by the test')
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(unheard).toEqual([])
  })

  test('deleting it makes room, and others have room of their own', async () => {
    const first = await writeComment(services, ada, 'room', fields, atOnce)
    await writeComment(services, ben, 'room', fields, atOnce)
    await removeComment(services, ada, first.comment.id)
    await writeComment(services, ada, 'room', fields, later)
    await removeComment(services, 'admin', (await ownComment(services, ben, 'room'))?.comment.id ?? '')
    await writeComment(services, ben, 'room', fields, atOnce)
    expect((await services.comments.list({ scope: 'room' })).items).toHaveLength(1)
  })
})

describe('what was refused', () => {
  const { services } = useTestApp()

  test('is not shown by deleting it and writing it again, however often', async () => {
    const first = await writeComment(services, ada, 'refused', fields, atOnce)
    await decide(services, first.comment.id, 'rejected')
    for (let i = 0; i < 2; i++) {
      await removeComment(services, ada, (await ownComment(services, ada, 'refused'))?.comment.id ?? '')
      expect(await ownComment(services, ada, 'refused')).toBeUndefined()
      expect(await writeComment(services, ada, 'refused', fields, atOnce)).toMatchObject({ isShown: false })
    }
    expect((await writeComment(services, ben, 'refused', fields, atOnce)).isShown).toBe(true)
  })

  test('is not shown by changing it, deleting it and writing it again', async () => {
    const { comment } = await writeComment(services, ada, 'edited', fields, atOnce)
    await decide(services, comment.id, 'rejected')
    await editComment(services, ada, comment.id, { rating: 1 }, { waits: false })
    await removeComment(services, ada, comment.id)
    expect(await writeComment(services, ada, 'edited', fields, atOnce)).toMatchObject({ isShown: false })
  })

  test('is not shown by changing it back once a moderator has shown what became of it', async () => {
    const { comment } = await writeComment(services, ada, 'back', fields, atOnce)
    await decide(services, comment.id, 'hidden')
    await editComment(services, ada, comment.id, { text: 'A better text' }, { waits: false })
    await decide(services, comment.id, 'shown')
    expect(await editComment(services, ada, comment.id, fields, { waits: false })).toMatchObject({ isShown: false })
    expect(await services.people.cases.get(comment.id)).toMatchObject({ state: 'waiting' })
  })

  test('waits also where its author deletes it before a moderator has looked at the reports of it', async () => {
    const { comment } = await writeComment(services, ada, 'reported', fields, atOnce)
    await reportComment(services, ben, comment.id, { reason: 'abuse', text: 'rude' })
    await removeComment(services, ada, comment.id)
    expect(await ownComment(services, ada, 'reported')).toBeUndefined()
    expect(await writeComment(services, ada, 'reported', fields, atOnce)).toMatchObject({ isShown: false })
  })

  test('can be taken back where an import has written it again, and deleted', async () => {
    const { comment } = await writeComment(services, ada, 'again', fields, atOnce)
    await decide(services, comment.id, 'hidden')
    await services.comments.create(comment)
    expect(await ownComment(services, ada, 'again')).toMatchObject({ isShown: true })
    await decide(services, comment.id, 'hidden')
    await expect(services.comments.get(comment.id)).rejects.toMatchObject({ code: 'not_found' })
    await services.comments.create(comment)
    await removeComment(services, 'admin', comment.id)
    expect(await ownComment(services, ada, 'again')).toBeUndefined()
  })
})

describe('a comment that was held before there were photos', () => {
  const { services } = useTestApp()

  test.each([
    ['no answer', { NULL: true }, 'Thank you'],
    ['an answer', { M: { text: { S: 'Old' }, answeredAt: { S: '2026-01-02T03:04:05.678Z' } } }, 'New'],
    [
      'an answer that is taken away',
      { M: { text: { S: 'Old' }, answeredAt: { S: '2026-01-02T03:04:05.678Z' } } },
      null,
    ],
  ] as const)('has the answer that the shop gave it last: %s', async (of, stored, text) => {
    const { comment } = await writeComment(services, ada, of, fields, later)
    const { table } = services.comments.context
    await table.send(
      new UpdateItemCommand({
        TableName: table.tableName,
        Key: { PK: { S: `CASE#${comment.id}` }, SK: { S: '~' } },
        UpdateExpression: 'SET #comment.answer = :answer REMOVE #comment.attached',
        ExpressionAttributeNames: { '#comment': 'comment' },
        ExpressionAttributeValues: { ':answer': stored as never },
      }),
    )
    await answerComment(services, comment.id, text)
    const held = await ownComment(services, ada, of)
    expect(held?.comment.attached?.answer?.text ?? null).toBe(text)
    await decide(services, comment.id, 'shown')
    expect((await services.comments.get(comment.id)).attached?.answer?.text ?? null).toBe(text)
  })
})

describe('a move', () => {
  const { services } = useTestApp()

  test('keeps id, time, version, votes and answer, also of a comment without an author', async () => {
    const { id } = await services.comments.create({ ...fields, productId: 'kept', author: 'Old', helpful: 7 })
    await services.comments.patch(id, { rating: 5 })
    await answerComment(services, id, 'Thank you')
    const before = await services.comments.get(id)
    await decide(services, id, 'hidden', 'too loud')
    await expect(services.comments.get(id)).rejects.toMatchObject({ code: 'not_found' })
    expect(await services.people.cases.get(id)).toMatchObject({ state: 'hidden', note: 'too loud', comment: before })
    await decide(services, id, 'shown')
    expect(await services.comments.get(id)).toEqual(before)
    await expect(services.people.cases.get(id)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('shows an answer that was given in between as a new version', async () => {
    const { comment } = await writeComment(services, ada, 'answered', fields, atOnce)
    await decide(services, comment.id, 'hidden')
    await answerComment(services, comment.id, 'Thank you')
    await decide(services, comment.id, 'shown')
    const after = await services.comments.get(comment.id)
    expect(after).toMatchObject({ version: 2, answered: true, attached: { answer: { text: 'Thank you' } } })
    expect(after.updatedAt).toBe(after.attached?.answer?.answeredAt)
    await answerComment(services, comment.id, null)
    expect(await services.comments.get(comment.id)).toMatchObject({ version: 3, answered: false })
  })

  test('loses no vote and no change that comes at the same time', async () => {
    const { id } = await services.comments.create({ ...fields, productId: 'votes', author: 'Old' })
    const votes = Array.from({ length: 12 }, async () => {
      for (;;) {
        const comment = await services.comments.get(id).catch(() => undefined)
        if (comment === undefined) continue
        const voted = await services.comments
          .patch(id, { helpful: comment.helpful + 1 }, { ifVersion: comment.version })
          .catch(() => undefined)
        if (voted !== undefined) return
      }
    })
    const moves = (async () => {
      for (let i = 0; i < 6; i++) await decide(services, id, i % 2 === 0 ? 'hidden' : 'shown')
    })()
    await Promise.all([...votes, moves])
    expect((await services.comments.get(id)).helpful).toBe(12)
  })

  test('a decision is made of a comment that another decision takes back while it is planned', async () => {
    const { comment } = await writeComment(services, ada, 'between', fields, atOnce)
    let reads = 0
    const get: typeof services.comments.get = async (...asked) => {
      // The first read finds the comment; the second belongs to the plan of the move.
      reads += 1
      if (reads === 2) await decide(services, comment.id, 'hidden')
      return services.comments.get(...asked)
    }
    await decide({ ...services, comments: { ...services.comments, get } }, comment.id, 'rejected', 'too loud')
    expect(await services.people.cases.get(comment.id)).toMatchObject({ state: 'rejected', note: 'too loud', comment })
  })

  test('two moderators at once end in one of their decisions', async () => {
    const { comment } = await writeComment(services, ada, 'two', fields, later)
    await Promise.all([
      ...Array.from({ length: 4 }, () => decide(services, comment.id, 'shown')),
      ...Array.from({ length: 4 }, () => decide(services, comment.id, 'rejected')),
    ])
    const isShown = (await services.comments.list({ scope: 'two' })).items.length === 1
    const ofCase = await services.people.cases.get(comment.id).catch(() => undefined)
    expect(ofCase?.comment !== undefined).toBe(!isShown)
  })
})

describe('a stranger', () => {
  const { services } = useTestApp()

  test('changes and deletes nothing of others, and can’t tell what waits from what is not there', async () => {
    const shown = await writeComment(services, ada, 'p', fields, atOnce)
    const waiting = await writeComment(services, ada, 'q', fields, later)
    for (const attempt of [
      (id: string) => editComment(services, ben, id, { text: 'mine' }, { waits: false }),
      (id: string) => removeComment(services, ben, id),
    ]) {
      await expect(attempt(shown.comment.id)).rejects.toMatchObject({ code: 'forbidden' })
      for (const id of [waiting.comment.id, 'no such'])
        await expect(attempt(id)).rejects.toMatchObject({ code: 'not_found', message: `there is no comment "${id}"` })
    }
    const reason = { reason: 'spam', text: '' } as const
    await expect(reportComment(services, ben, waiting.comment.id, reason)).rejects.toMatchObject({ code: 'not_found' })
    await expect(removeComment(services, 'admin', waiting.comment.id)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('is heard by the moderators after a hundred others too, once, and in words', async () => {
    const { comment } = await writeComment(services, ada, 'many', fields, atOnce)
    for (let i = 0; i < 100; i++)
      await reportComment(services, { id: `reporter-${i}`, name: 'R' }, comment.id, { reason: 'spam', text: 'words' })
    const { reports } = await services.people.cases.get(comment.id)
    expect([reports.length, reports.filter(({ text }) => text !== '').length]).toEqual([100, 20])
    await reportComment(services, ben, comment.id, { reason: 'spam', text: 'words' })
    expect((await services.people.cases.get(comment.id)).reports).toEqual(reports)
    await decide(services, comment.id, 'shown')
    const cleo = { id: 'customer-3', name: 'Cleo' }
    const report = (person: Person) =>
      reportComment(services, person, comment.id, { reason: 'abuse', text: `words of ${person.name}` })
    for (const person of [ben, cleo]) await report(person)
    const again = await services.people.cases.get(comment.id)
    expect([again.state, again.reports.length]).toEqual(['reported', 100])
    expect(again.reports.flatMap(({ text }) => (text === '' ? [] : [text]))).toEqual(['words of Ben', 'words of Cleo'])
    await decide(services, comment.id, 'shown')
    for (const person of [ben, cleo]) await report(person)
    expect(await services.people.cases.get(comment.id)).toMatchObject({ state: 'settled' })
  })

  test('reports once, also again and again at the same time, and after the report was looked at', async () => {
    const { comment } = await writeComment(services, ada, 'r', fields, atOnce)
    const report = () => reportComment(services, ben, comment.id, { reason: 'abuse', text: 'rude' })
    await Promise.all(Array.from({ length: 6 }, report))
    expect((await services.people.cases.get(comment.id)).reports).toHaveLength(1)
    await decide(services, comment.id, 'shown')
    await report()
    expect(await services.people.cases.get(comment.id)).toMatchObject({ state: 'settled' })
    await reportComment(services, { id: 'customer-3', name: 'Cleo' }, comment.id, { reason: 'spam', text: '' })
    expect(await services.people.cases.get(comment.id)).toMatchObject({ state: 'reported', comment: null })
  })
})
