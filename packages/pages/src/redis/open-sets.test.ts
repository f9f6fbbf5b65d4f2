import { expect, test } from 'vitest'
import { openSets } from './open-sets.ts'

const refused = Object.assign(new Error('connect ECONNREFUSED 10.0.0.5:6379'), { code: 'ECONNREFUSED' })
const gaveUp = Object.assign(new Error('Reached the max retries per request limit (which is 1).'), {
  name: 'MaxRetriesPerRequestError',
})

test.each([
  [refused, 'ECONNREFUSED'],
  [gaveUp, 'MaxRetriesPerRequestError'],
  [new Error('NOAUTH Authentication required.'), 'NOAUTH Authentication required.'],
])('a failure of Redis is told without its address: %s', async (cause, told) => {
  const lists = openSets(() => Promise.reject(cause), 'pages:')
  await expect(lists.state()).rejects.toMatchObject({
    code: 'unavailable',
    message: `the page index in Redis does not answer GET: ${told}`,
    cause,
  })
})
