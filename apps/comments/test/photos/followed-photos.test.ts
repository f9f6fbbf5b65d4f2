import fc from 'fast-check'
import type { Change } from 'lapidary'
import { expect, test, vi } from 'vitest'
import { PATIENCE } from '../../../../test/engines/patience.ts'
import { attachedTo } from '../../src/comment.ts'
import { idInKey, readKept } from '../../src/kept-comment.ts'
import { decide } from '../../src/people/moderation.ts'
import { editComment, removeComment, writeComment } from '../../src/people/own-comments.ts'
import type { Person } from '../../src/people/person.ts'
import { changedPhotos, withPhotos } from '../../src/photos/changed-photos.ts'
import { followedPhotos } from '../../src/photos/followed-photos.ts'
import { useTestApp } from '../test-app.ts'
import { image, memoryPhotos } from './test-photos.ts'

const { photos, files } = memoryPhotos()
let isAway = false
const { services, counted } = useTestApp(undefined, undefined, undefined, {
  photos: {
    ...photos,
    forget: (ids) => (isAway ? Promise.reject(new Error('the storage is away')) : photos.forget(ids)),
  },
})
const PEOPLE: readonly Person[] = ['ada', 'ben', 'cleo'].map((id) => ({ id, name: id }))
const SHARD = { shardId: undefined }
const AT_ONCE = { waits: false, verified: false }
const FIELDS = { rating: 4, language: 'en', title: '', text: 'Words' }

type Step =
  | { do: 'write'; who: number; photos: number; waits: boolean }
  | { do: 'edit'; who: number; added: number; removed: number; waits: boolean }
  | { do: 'remove'; who: number }
  | { do: 'lose'; who: number }
  | { do: 'decide'; who: number; to: 'shown' | 'hidden' | 'rejected' }

const who = fc.nat({ max: PEOPLE.length - 1 })
const few = fc.nat({ max: 2 })
const waits = fc.boolean()
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('write' as const), who, photos: few, waits }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('edit' as const), who, added: few, removed: few, waits }) },
  {
    weight: 1,
    arbitrary: fc.oneof(
      fc.record({ do: fc.constant('remove' as const), who }),
      fc.record({ do: fc.constant('lose' as const), who }),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('decide' as const),
      who,
      to: fc.constantFrom('shown', 'hidden', 'rejected'),
    }),
  },
)
/** Steps that are taken at once, one batch after the other. */
const batches = fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 8 })

/** A run of steps on one product, whose ids of comments are by their writers. */
async function take(productId: string, ids: Map<string, Set<string>>, each: Step, sent: Uint8Array): Promise<void> {
  const person = PEOPLE[each.who] as Person
  const known = [...(ids.get(person.id) ?? [])]
  const id = known.at(-1) ?? 'none'
  const several = (count: number) => Array.from({ length: count }, () => sent)
  if (each.do === 'write') {
    const { comment } = await withPhotos(photos, several(each.photos), (taken) =>
      writeComment(services, person, productId, FIELDS, { waits: each.waits, verified: false, photos: taken }),
    )
    ids.set(person.id, new Set([...known, comment.id]))
  } else if (each.do === 'edit') {
    await withPhotos(photos, several(each.added), (taken) => {
      const changes = (comment: Parameters<typeof changedPhotos>[0]) => {
        const { photos: own } = attachedTo(comment)
        return changedPhotos(
          comment,
          taken,
          own.slice(0, each.removed).map((photo) => photo.id),
        )
      }
      return editComment(services, person, id, changes, { waits: each.waits })
    })
  } else if (each.do === 'remove') await removeComment(services, person, id)
  // As an import or the command line deletes it.
  else if (each.do === 'lose') await services.comments.delete(id)
  else await decide(services, id, each.to)
}

test('the gallery shows what is shown, and no file stays that nothing names, whatever happens at once', {
  timeout: 300_000,
}, async () => {
  const sent = await image('png', { width: 8, height: 8 })
  let runs = 0
  await fc.assert(
    fc.asyncProperty(batches, fc.infiniteStream(fc.nat()), async (steps, order) => {
      const productId = `run ${runs++}`
      const ids = new Map<string, Set<string>>()
      const former: Change[] = []
      const late = followedPhotos(() => ({ ...services, photos }))
      for (const batch of steps) {
        // Another process follows, too, and has former changes once more.
        const again = Promise.all([late.apply?.(former, SHARD), late.apply?.(former.toReversed(), SHARD)])
        await Promise.allSettled(batch.map((each) => take(productId, ids, each, sent)))
        await again
        former.push(...(await imagesOf([...ids.values()].flatMap((each) => [...each]))))
      }
      await counted()
      await vi.waitFor(() => expectTrue(productId, ids), PATIENCE)
      // A process that has had changes in hand for long brings them now, in any order.
      const shuffled = former.map((change) => ({ change, at: order.next().value ?? 0 })).sort((a, b) => a.at - b.at)
      await Promise.all(
        [0, 1].map((half) =>
          late.apply?.(
            shuffled.filter((_, i) => i % 2 === half).map(({ change }) => change),
            SHARD,
          ),
        ),
      )
      await expectTrue(productId, ids)
      files.clear()
    }),
    { numRuns: 30, endOnFailure: true },
  )
})

/** Returns what the items of comments are, as the image of a change that is still to come. */
async function imagesOf(ids: readonly string[]): Promise<readonly Change[]> {
  const all = await Promise.all(ids.map((id) => readKept(services.comments.context.table, id)))
  return all.flatMap(({ shown, held }) =>
    [shown, held].flatMap((before) =>
      before === undefined
        ? []
        : [{ key: { PK: String(before.PK?.S), SK: '~' }, sequenceNumber: '1', at: 0, before, after: undefined }],
    ),
  )
}

/** Compares the gallery and the files with the comments themselves. */
async function expectTrue(productId: string, ids: ReadonlyMap<string, ReadonlySet<string>>): Promise<void> {
  const { comments, gallery, people } = services
  const { items } = await comments.list({ scope: productId, limit: 100 })
  const listed = await gallery.list({ scope: productId, limit: 100 })
  const shown = items.flatMap((each) => {
    const own = attachedTo(each).photos
    return own.length === 0 ? [] : [{ id: each.id, photos: own }]
  })
  expect(listed.items.map(({ id, photos }) => ({ id, photos }))).toEqual(shown)
  const held = await people.cases.getMany([...ids.values()].flatMap((each) => [...each]))
  const named = [...items, ...held.flatMap((each) => each?.comment ?? [])].flatMap((each) => attachedTo(each).photos)
  expect([...files.keys()].sort()).toEqual(named.flatMap(({ id }) => [`${id}.webp`, `${id}-small.webp`]).sort())
}

test('a comment that is deleted while it is looked at is not shown by the gallery for good', async () => {
  const { comments, gallery } = services
  const [person] = PEOPLE as [Person]
  const photo = await photos.take(await image('png', { width: 8, height: 8 }))
  const { comment } = await writeComment(services, person, 'race', FIELDS, { ...AT_ONCE, photos: [photo] })
  await counted()
  const [change] = await imagesOf([comment.id])
  let looks = 0
  const get: typeof comments.get = async (id) => {
    looks += 1
    const looked = await comments.get(id)
    if (looks === 1) {
      await comments.delete(id)
      await counted()
      expect((await gallery.list({ scope: 'race' })).items).toEqual([])
    }
    return looked
  }
  await gallery.delete(comment.id)
  const slow = followedPhotos(() => ({ ...services, comments: { ...comments, get }, photos }))
  await slow.apply?.([change as Change], SHARD)
  expect(looks).toBe(2)
  expect((await gallery.list({ scope: 'race' })).items).toEqual([])
  expect(idInKey((change as Change).key)).toBe(comment.id)
})

test('a rebuild makes up for changes that no process has followed', async () => {
  const { comments, gallery, database } = services
  const tiny = await image('png', { width: 8, height: 8 })
  const written: string[] = []
  for (const [i, person] of PEOPLE.entries()) {
    const circumstances = { ...AT_ONCE, photos: i === 1 ? [] : [await photos.take(tiny)] }
    written.push((await writeComment(services, person, 'lost', FIELDS, circumstances)).comment.id)
  }
  const [shown = '', bare = '', gone = ''] = written
  await counted()
  const entries = async () => (await gallery.list({ scope: 'lost' })).items.map(({ id }) => id)
  await vi.waitFor(async () => expect(await entries()).toEqual([gone, shown]), PATIENCE)
  // As if the changes had been lost: the entries are what they should not be.
  const entry = await gallery.get(gone)
  await comments.delete(gone)
  await vi.waitFor(async () => expect(await entries()).toEqual([shown]), PATIENCE)
  const { id: photoId } = await photos.take(tiny)
  await gallery.create({ ...entry, photos: [{ id: photoId, width: 8, height: 8 }] })
  await gallery.delete(shown)
  expect(await entries()).toEqual([gone])
  await database.derived.rebuild('photos')
  expect(await entries()).toEqual([shown])
  expect(files.has(`${photoId}.webp`)).toBe(false)
  expect(await gallery.get(bare).catch(({ code }) => code)).toBe('not_found')
})

test('counts do not wait for a storage that is away, and it catches up once it is back', async () => {
  const { comments } = services
  const photo = await photos.take(await image('png', { width: 8, height: 8 }))
  const circumstances = { ...AT_ONCE, photos: [photo] }
  const { comment } = await writeComment(services, PEOPLE[0] as Person, 'away', FIELDS, circumstances)
  await vi.waitFor(async () => expect((await comments.count({ scope: 'away' })).total).toBe(1), PATIENCE)
  isAway = true
  try {
    await comments.delete(comment.id)
    await vi.waitFor(async () => expect((await comments.count({ scope: 'away' })).total).toBe(0), PATIENCE)
    expect(files.has(`${photo.id}.webp`)).toBe(true)
  } finally {
    isAway = false
  }
  await vi.waitFor(() => expect(files.has(`${photo.id}.webp`)).toBe(false), PATIENCE)
})
