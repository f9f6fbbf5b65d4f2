import fc from 'fast-check'
import { LapidaryError } from 'lapidary'
import { HttpProblem } from 'lapidary-http/internal'
import { expect, test } from 'vitest'
import type { Comment } from '../../src/comment.ts'
import { answerComment, type Decision, decide, reportComment } from '../../src/people/moderation.ts'
import { editComment, ownComment, removeComment, writeComment } from '../../src/people/own-comments.ts'
import type { Person } from '../../src/people/person.ts'
import { useTestApp } from '../test-app.ts'

const { services, counted } = useTestApp()

const PEOPLE: readonly Person[] = ['ada', 'ben', 'cleo'].map((id) => ({ id: `id-of-${id}`, name: id }))
const PRODUCTS = ['p1', 'p2'] as const

/** What a shop that keeps everything in one list would have. */
interface Kept {
  readonly person: string
  readonly productId: string
  id: string
  state: 'shown' | 'waiting' | 'hidden' | 'rejected'
  rating: number
  language: string
  answer: string | null
  readonly reports: Set<string>
  isReported: boolean
  /** The versions that readers have seen: a comment that comes back goes on from its own. */
  version: number
}

type Step =
  | { do: 'write'; who: number; product: number; rating: number; language: string; waits: boolean }
  | { do: 'edit'; who: number; on: number; rating: number; waits: boolean }
  | { do: 'remove'; who: number; on: number }
  | { do: 'report'; who: number; on: number }
  | { do: 'decide'; on: number; to: Decision }
  | { do: 'answer'; on: number; text: string | null }

const who = fc.nat({ max: PEOPLE.length - 1 })
const on = fc.nat({ max: 5 })
const rating = fc.integer({ min: 1, max: 5 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('write' as const),
      ...{ who, product: fc.nat({ max: 1 }), rating, language: fc.constantFrom('en', 'de'), waits: fc.boolean() },
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('edit' as const), who, on, rating, waits: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), who, on }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('report' as const), who, on }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('decide' as const),
      ...{ on, to: fc.constantFrom<Decision>('shown', 'hidden', 'rejected') },
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('answer' as const), on, text: fc.option(fc.constant('Thanks')) }),
  },
)

let run = 0

test('after every step, what is shown, its counts and its pages are those of one list with a state', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const prefix = `run-${run++}-`
      const all: Kept[] = []
      const watched = new Set<string>()
      for (const each of steps) {
        await take(all, watched, each, prefix)
        await counted()
        for (const product of PRODUCTS) await compare(all, prefix + product)
      }
      await compareQueue(all, prefix)
    }),
    { numRuns: Number(process.env.MODERATIONS ?? 12) },
  )
}, 240_000)

/**
 * @param watched Persons and products of whom a moderator has refused a comment, or who deleted one that was reported: what they write and change there
 * waits.
 */
async function take(all: Kept[], watched: Set<string>, each: Step, prefix: string): Promise<void> {
  const target = 'on' in each ? all[each.on] : undefined
  if ('on' in each && target === undefined) return
  const person = 'who' in each ? (PEOPLE[each.who] as Person) : (PEOPLE[0] as Person)
  const isOwn = target?.person === person.id
  if (each.do === 'write') {
    const productId = prefix + (PRODUCTS[each.product] as string)
    const known = all.find((kept) => kept.person === person.id && kept.productId === productId)
    const { rating, language, waits } = each
    const fields = { rating, language, title: '', text: 'text' }
    const writing = writeComment(services, person, productId, fields, { waits, verified: false })
    if (known !== undefined) {
      await expect(writing).rejects.toMatchObject({ code: 'already_exists', details: { commentId: known.id } })
      return
    }
    const { comment, isShown } = await writing
    const isHeld = waits || watched.has(`${person.id} ${productId}`)
    expect(isShown).toBe(!isHeld)
    const state = isHeld ? 'waiting' : 'shown'
    all.push({ ...{ person: person.id, productId, id: comment.id, state, rating, language }, ...fresh() })
    return
  }
  const kept = target as Kept
  if (each.do === 'edit' || each.do === 'remove') {
    const doing =
      each.do === 'edit'
        ? editComment(services, person, kept.id, { rating: each.rating }, { waits: each.waits })
        : removeComment(services, person, kept.id)
    if (!isOwn) {
      expect(await refusal(doing)).toBe(kept.state === 'shown' ? 'forbidden' : 'not_found')
      return
    }
    await doing
    if (each.do === 'remove') {
      if (kept.isReported) watched.add(`${kept.person} ${kept.productId}`)
      all.splice(all.indexOf(kept), 1)
    } else {
      kept.rating = each.rating
      if (kept.state !== 'shown' || each.waits || watched.has(`${kept.person} ${kept.productId}`)) {
        kept.state = 'waiting'
        kept.isReported = false
      }
    }
    return
  }
  if (each.do === 'report') {
    const doing = reportComment(services, person, kept.id, { reason: 'spam', text: '' })
    if (kept.state !== 'shown') return void expect(await refusal(doing)).toBe('not_found')
    if (isOwn) return void expect(await refusal(doing)).toBe('forbidden')
    await doing
    if (!kept.reports.has(person.id)) kept.isReported = true
    kept.reports.add(person.id)
    return
  }
  if (each.do === 'decide') {
    await decide(services, kept.id, each.to)
    if (each.to !== 'shown') watched.add(`${kept.person} ${kept.productId}`)
    kept.state = each.to
    kept.isReported = false
    return
  }
  await answerComment(services, kept.id, each.text)
  kept.answer = each.text
}

const fresh = () => ({ answer: null, reports: new Set<string>(), isReported: false, version: 1 })

async function refusal(doing: Promise<unknown>): Promise<string> {
  const error = await doing.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(error instanceof HttpProblem || error instanceof LapidaryError).toBe(true)
  return (error as HttpProblem).code
}

/** Compares all that readers can see of a product with the list, and each person's own comment. */
async function compare(all: readonly Kept[], productId: string): Promise<void> {
  const here = all.filter((kept) => kept.productId === productId)
  const shown = here.filter(({ state }) => state === 'shown')
  const newest = shown
    .map(({ id }) => id)
    .sort()
    .reverse()
  const { comments } = services
  const listed = await comments.list({ scope: productId, limit: 100 })
  expect(listed.items.map(({ id }) => id)).toEqual(newest)
  for (const item of listed.items) {
    const kept = shown.find(({ id }) => id === item.id) as Kept
    expect([item.rating, item.language, item.attached?.answer?.text ?? null]).toEqual([
      kept.rating,
      kept.language,
      kept.answer,
    ])
    expect(item.version).toBeGreaterThanOrEqual(kept.version)
    kept.version = item.version
  }
  for (const language of ['en', 'de']) {
    const of = shown.filter((kept) => kept.language === language)
    const page = await comments.list({ scope: productId, where: { language } })
    expect(page.items.map(({ id }) => id)).toEqual(
      of
        .map(({ id }) => id)
        .sort()
        .reverse(),
    )
    expect(page.page.total).toBe(of.length)
  }
  const { total, facets } = await comments.count({ scope: productId })
  expect(total).toBe(shown.length)
  for (const rating of [1, 2, 3, 4, 5])
    expect(facets?.rating?.[rating] ?? 0).toBe(shown.filter((kept) => kept.rating === rating).length)
  for (const [i, id] of newest.entries()) {
    const { items, page } = await comments.page(i + 1, { scope: productId, limit: 1 })
    expect([items.map((item: Comment) => item.id), page.total]).toEqual([[id], newest.length])
  }
  for (const kept of here) {
    const looked = comments.get(kept.id)
    if (kept.state === 'shown') expect(await looked).toMatchObject({ id: kept.id, person: kept.person })
    else await expect(looked).rejects.toMatchObject({ code: 'not_found' })
  }
  for (const person of PEOPLE) {
    const kept = here.find((each) => each.person === person.id)
    const found = await ownComment(services, person, productId)
    expect([found?.comment.id, found?.isShown]).toEqual([kept?.id, kept && kept.state === 'shown'])
    if (found?.isShown === false) expect(found.case?.state).toBe(kept?.state)
  }
}

/** Compares the queue of this run with the list. */
async function compareQueue(all: readonly Kept[], prefix: string): Promise<void> {
  const { cases } = services.people
  for (const state of ['waiting', 'reported', 'hidden', 'rejected'] as const) {
    const ids: string[] = []
    for await (const { id } of cases.iterate({ scope: state })) ids.push(id)
    const found = (await cases.getMany(ids)).filter((each) => each?.productId.startsWith(prefix))
    const wanted = all.filter((kept) => (state === 'reported' ? kept.isReported : kept.state === state))
    expect(found.map((each) => each?.id).sort()).toEqual(wanted.map(({ id }) => id).sort())
    for (const each of found) {
      const kept = wanted.find(({ id }) => id === each?.id)
      expect(new Set(each?.reports.map(({ person }) => person))).toEqual(kept?.reports)
    }
  }
}
