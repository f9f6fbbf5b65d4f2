import { QueryCommand, type QueryCommandInput } from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'
import { increment, layoutNamed } from 'lapidary'
import { chosenSeed } from 'lapidary-testing'
import { describe, expect, it, vi } from 'vitest'
import { PATIENCE } from '../../../test/engines/patience.ts'
import type { Comment } from '../src/comment.ts'
import { votesPartition } from '../src/votes/vote-keys.ts'
import { votesOf } from '../src/votes/votes.ts'
import { byHeader, engineOf, LAYOUTS, newComment, type TestApp, useTestApp } from './test-app.ts'

const seed = chosenSeed(process.env.FC_SEED)
const runs = Number(process.env.FC_RUNS ?? 4)
console.info(`votes: FC_SEED=${seed} FC_RUNS=${runs}`)

describe.each(LAYOUTS)('helpful votes, by %s', (name) => {
  const layout = layoutNamed(name)
  const test = useTestApp(engineOf(layout), layout, undefined, { identity: { identify: byHeader } })
  const voted = (method: 'PUT' | 'DELETE', id: string, person?: string, headers: Record<string, string> = {}) =>
    test.ask(`/comments/${encodeURIComponent(id)}/vote`, {
      method,
      headers: { ...headers, ...(person === undefined ? {} : { 'x-person': person }) },
    })
  const helpfulOf = async (id: string): Promise<number> => (await test.ask(`/comments/${id}`)).body.helpful
  const created = async (id: string, changes = {}) => {
    const { status, body } = await test.send('POST', '/products/v/comments', newComment({ id, ...changes }))
    expect(status).toBe(201)
    return body
  }

  it('counts one a person, however often it is sent, and takes it back', async () => {
    const before = await created('v1')
    expect(before).toMatchObject({ helpful: 0, verified: false, answer: null, version: 1 })
    expect(before).not.toHaveProperty('person')
    for (const person of ['p1', 'p2', 'p1', 'p1']) {
      const { status, body, headers } = await voted('PUT', 'v1', person)
      expect([status, body, headers.get('lapidary-written')]).toEqual([204, '', 'v1'])
    }
    expect(await helpfulOf('v1')).toBe(2)
    expect((await voted('DELETE', 'v1', 'p2')).status).toBe(204)
    expect((await voted('DELETE', 'v1', 'p2')).status).toBe(204)
    expect((await voted('DELETE', 'v1', 'p3')).status).toBe(204)
    expect(await helpfulOf('v1')).toBe(1)
    expect((await test.ask('/comments/v1')).body).toEqual({ ...before, helpful: 1 })
  })

  it('leaves the version, so that an editor who has read the comment before can change it', async () => {
    await created('v2')
    const { headers } = await test.ask('/comments/v2')
    await voted('PUT', 'v2', 'p1')
    const tag = headers.get('etag') ?? ''
    // A reader who asks by the tag gets the comment anew; an editor who has it goes by the version.
    const again = await test.ask('/comments/v2', { headers: { 'if-none-match': tag } })
    expect([again.status, again.body.helpful, again.headers.get('etag')]).toEqual([200, 1, '"1.1"'])
    const known = await test.ask('/comments/v2', { headers: { 'if-none-match': '"1.1"' } })
    expect(known.status).toBe(304)
    const edited = await test.send('PATCH', '/comments/v2', { title: 'Edited' }, { 'if-match': tag })
    expect(edited).toMatchObject({ status: 200, body: { title: 'Edited', version: 2, helpful: 1 } })
    // The vote that is taken back changes what the edit has answered.
    expect(edited.headers.get('etag')).toBe('"2.1"')
    await voted('DELETE', 'v2', 'p1')
    const after = await test.ask('/comments/v2', { headers: { 'if-none-match': edited.headers.get('etag') ?? '' } })
    expect([after.status, after.body.helpful, after.headers.get('etag')]).toEqual([200, 0, '"2"'])
    const later = await test.send('PATCH', '/comments/v2', { title: 'Again' }, { 'if-match': '"2.1"' })
    expect(later).toMatchObject({ status: 200, body: { title: 'Again', version: 3 } })
    const late = await test.send('PATCH', '/comments/v2', { title: 'Late' }, { 'if-match': '"2.1"' })
    expect(late).toMatchObject({ status: 412, body: { code: 'version_conflict' } })
  })

  it('is refused of strangers, for no comment and for one’s own, and never by another site', async () => {
    const { comments } = test.services
    await comments.create({ ...newComment({ productId: 'v', id: 'v3' }), person: 'p1' } as never)
    expect(await voted('PUT', 'v3')).toMatchObject({ status: 401, body: { code: 'unauthorized' } })
    expect(await voted('PUT', 'none', 'p1')).toMatchObject({ status: 404, body: { code: 'not_found' } })
    expect(await voted('DELETE', 'none', 'p1')).toMatchObject({ status: 404, body: { code: 'not_found' } })
    expect(await voted('PUT', 'v3', 'p1')).toMatchObject({ status: 403, body: { code: 'forbidden' } })
    const foreign = await voted('PUT', 'v3', 'p2', { 'sec-fetch-site': 'cross-site' })
    expect(foreign).toMatchObject({ status: 403, body: { code: 'forbidden' } })
    expect(await helpfulOf('v3')).toBe(0)
  })

  it('is told by the tag of one’s own comment too', async () => {
    const path = '/products/v-own/own-comment'
    const { id: _, author: _a, ...fields } = newComment()
    const put = () => test.send('PUT', path, fields, { 'x-person': 'p1', authorization: '' })
    const { id } = (await put()).body.comment
    await voted('PUT', id, 'p2')
    const own = await test.ask(path, { headers: { 'x-person': 'p1' } })
    expect([own.headers.get('etag'), (await put()).headers.get('etag')]).toEqual(['"1.1"', '"1.1"'])
  })

  it('goes with its comment, and counts for no other one of the same id', async () => {
    await created('v4')
    await Promise.all(['p1', 'p2', 'p3'].map((person) => voted('PUT', 'v4', person)))
    expect(await storedVotes(test, 'v4')).toBe(3)
    await test.services.comments.delete('v4')
    await created('v4')
    expect(await helpfulOf('v4')).toBe(0)
    const mine = await votesOf(test.services, { id: 'p1' }, 'v')
    expect(mine.has(await test.services.comments.get('v4'))).toBe(false)
    expect((await voted('PUT', 'v4', 'p1')).status).toBe(204)
    expect(await helpfulOf('v4')).toBe(1)
    await vi.waitUntil(async () => (await storedVotes(test, 'v4')) === 1, PATIENCE)
    expect((await votesOf(test.services, { id: 'p1' }, 'v')).has(await test.services.comments.get('v4'))).toBe(true)
  })

  it('stays with a comment that a moderator has taken from the lists', async () => {
    const { comments } = test.services
    await created('v5')
    await voted('PUT', 'v5', 'p1')
    const { decide } = await import('../src/people/moderation.ts')
    await decide(test.services, 'v5', 'hidden')
    expect((await voted('PUT', 'v5', 'p2')).status).toBe(404)
    await test.counted()
    await decide(test.services, 'v5', 'shown')
    await test.counted()
    expect((await comments.get('v5')).helpful).toBe(1)
    expect(await storedVotes(test, 'v5')).toBe(1)
  })

  it('is neither lost nor counted twice by any number of people, editors and deleted comments at once', async () => {
    const people = ['ann', 'ben', 'cem', 'dee', 'eve', 'fay']
    const ids = ['w1', 'w2', 'w3']
    const step = fc.record({
      person: fc.constantFrom(...people),
      id: fc.constantFrom(...ids),
      does: fc.constantFrom('PUT', 'PUT', 'PUT', 'DELETE', 'edit', 'twice'),
    })
    let product = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
        product += 1
        const scope = `votes-${product}`
        const idOf = (id: string): string => `${scope}-${id}`
        for (const [i, id] of ids.entries()) {
          const comment = newComment({ id: idOf(id), createdAt: new Date(Date.UTC(2026, 0, 1 + i)).toISOString() })
          expect((await test.send('POST', `/products/${scope}/comments`, comment)).status).toBe(201)
        }
        // What one person does to one comment comes one after the other, all else at once.
        const model = new Set<string>()
        let edits = new Map<string, number>()
        const chains = new Map<string, (() => Promise<unknown>)[]>()
        for (const [i, { person, id, does }] of steps.entries()) {
          const key = `${person} ${id}`
          const chain = chains.get(key) ?? []
          chains.set(key, chain)
          if (does === 'edit') {
            edits = edits.set(id, (edits.get(id) ?? 0) + 1)
            chain.push(() => test.send('PATCH', `/comments/${idOf(id)}`, { title: `edit ${i}`, rating: (i % 5) + 1 }))
          } else {
            const method = does === 'DELETE' ? 'DELETE' : 'PUT'
            if (method === 'PUT') model.add(key)
            else model.delete(key)
            const once = () => voted(method, idOf(id), person)
            chain.push(does === 'twice' ? () => Promise.all([once(), once()]) : once)
          }
        }
        const answers = await Promise.all(
          [...chains.values()].map(async (chain) => {
            for (const does of chain) {
              const all = [await does()].flat() as { status: number }[]
              for (const { status } of all) expect([200, 204]).toContain(status)
            }
          }),
        )
        expect(answers).toHaveLength(chains.size)
        const stored: Comment[] = []
        for (const id of ids) {
          const comment = await test.services.comments.get(idOf(id))
          stored.push(comment)
          const votes = [...model].filter((key) => key.endsWith(` ${id}`)).length
          expect([id, comment.helpful, await storedVotes(test, idOf(id))]).toEqual([id, votes, votes])
          expect(comment.version).toBe(1 + (edits.get(id) ?? 0))
        }
        for (const person of people) {
          const own = await votesOf(test.services, { id: person }, scope)
          for (const comment of stored)
            expect(own.has(comment)).toBe(model.has(`${person} ${comment.id.slice(scope.length + 1)}`))
        }
        await test.counted()
        const expected = stored.toSorted((a, b) => b.helpful - a.helpful || (a.id < b.id ? 1 : -1)).map(({ id }) => id)
        const { body } = await test.ask(`/products/${scope}/comments?order=helpful`)
        expect(body.items.map(({ id }: Comment) => id)).toEqual(expected)
        const second = await test.ask(`/products/${scope}/comments?order=helpful&limit=2&page=2`)
        expect(second.body.items.map(({ id }: Comment) => id)).toEqual(expected.slice(2))
      }),
      { seed, numRuns: runs },
    )
  }, 240_000)

  it('counts down to nothing where an import has set less than the votes that are here', async () => {
    await created('v6')
    await voted('PUT', 'v6', 'p1')
    await test.services.comments.patch('v6', { helpful: increment(-1) })
    expect((await voted('DELETE', 'v6', 'p1')).status).toBe(204)
    expect(await helpfulOf('v6')).toBe(0)
    expect(await storedVotes(test, 'v6')).toBe(0)
  })
})

async function storedVotes({ services }: TestApp, id: string): Promise<number> {
  const { table } = services.comments.context
  const input: QueryCommandInput = {
    TableName: table.tableName,
    KeyConditionExpression: 'PK = :pk',
    ExpressionAttributeValues: { ':pk': { S: votesPartition(id) } },
    ConsistentRead: true,
  }
  const { Items = [] } = await table.send(new QueryCommand(input))
  for (const { SK } of Items) expect(SK?.S).toMatch(/^\d{4}-.*#[\w-]{43}$/)
  return Items.length
}
