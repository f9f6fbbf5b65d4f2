/**
 * A repository with its issues and its stars, assembled in one partition of one index: issues lie below the repository, stars above it, the
 * newest next to it. So one Query gives the repository and its newest issues, or the repository and its newest stars.
 * Times above are written with each digit taken from 9, so that later ones come first:
 *
 *     k@around         s@around
 *     REPOSITORY/r1    <#2024-03-28T20…#i168  an issue
 *     REPOSITORY/r1    <#2024-03-30T03…#i169  the newest issue   ^ read downwards from the repository
 *     REPOSITORY/r1    =                      the repository
 *     REPOSITORY/r1    >#7975-96-78T82…#8c…~  the newest star    v read upwards from the repository
 *     REPOSITORY/r1    >#7975-96-78T95…#8c…~  the star before it
 */
import { defineCollection } from 'lapidary'
import { z } from 'zod'
import { compare, forEach, openExample, show, shown } from '../example.ts'

const scope = { name: 'REPOSITORY', attribute: 'repository' } as const

const repositories = defineCollection({
  name: 'REPOSITORY',
  schema: z.object({ id: z.string(), owner: z.string(), description: z.string(), createdAt: z.string() }),
  id: 'id',
  scope: { name: 'OWNER', attribute: 'owner' },
  order: 'createdAt',
  facets: {},
  indexes: { all: {}, around: { around: 'parent' } },
})
const issues = defineCollection({
  name: 'ISSUE',
  schema: z.object({ id: z.string(), repository: z.string(), title: z.string(), openedAt: z.string() }),
  id: 'id',
  scope,
  order: 'openedAt',
  facets: {},
  indexes: { around: { around: 'below' } },
  itemBytes: 200,
})
const stars = defineCollection({
  name: 'STAR',
  schema: z.object({ id: z.string(), repository: z.string(), user: z.string(), starredAt: z.string() }),
  id: 'id',
  scope,
  order: 'starredAt',
  facets: {},
  indexes: { around: { around: 'above' } },
  itemBytes: 200,
})

const time = (hours: number): string => new Date(Date.UTC(2024, 0, 1) + hours * 3_600_000).toISOString()
const repository = { id: 'r1', owner: 'ann', description: 'Lists in DynamoDB', createdAt: time(0) }
const allIssues = Array.from({ length: 70 }, (_, i) => ({
  ...{ id: `i${100 + i}`, repository: i % 7 === 0 ? 'r2' : 'r1', title: `Issue ${i}`, openedAt: time(i * 31) },
}))
const allStars = Array.from({ length: 150 }, (_, i) => ({
  ...{ id: `s${100 + i}`, repository: i % 5 === 0 ? 'r2' : 'r1', user: `user-${i}`, starredAt: time(i * 13) },
}))

await using database = await openExample({ repositories, issues, stars })
const { lapidary } = database
await lapidary.repositories.create(repository)
await lapidary.repositories.create({ ...repository, id: 'r2' })
await forEach(allIssues, (issue) => lapidary.issues.create(issue))
await forEach(allStars, (star) => lapidary.stars.create(star))

const ofFirst = <T extends { readonly repository: string }>(all: readonly T[]): T[] =>
  all.filter((each) => each.repository === 'r1').toReversed()

await show(
  'The repository and its newest issues, ten to a page',
  (cursor) => lapidary.issues.listWith(lapidary.repositories, { scope: 'r1', limit: 10, cursor }),
  ofFirst(allIssues),
)
await show(
  'The repository and its newest stars, 50 to a page',
  (cursor) => lapidary.stars.listWith(lapidary.repositories, { scope: 'r1', limit: 50, cursor }),
  ofFirst(allStars),
)
await show(
  'The first stars: the same list from its other end',
  (cursor) => lapidary.stars.list({ scope: 'r1', order: 'oldest', limit: 100, cursor }),
  ofFirst(allStars).toReversed(),
)

const { parent, items, plan } = await lapidary.issues.listWith(lapidary.repositories, { scope: 'r1', limit: 3 })
console.log(`\nWhat the Query gave: ${plan.actual?.requests} request, ${plan.actual?.rcu} RCU`)
for (const each of [parent, ...items]) console.log(`  ${shown(each as object)}`)
compare([parent, ...items], [repository, ...ofFirst(allIssues).slice(0, 3)])
