import fc from 'fast-check'
import { awsCommand } from 'lapidary-http/internal/pages'
import { awkwardText, chosenSeed, unicodeText } from 'lapidary-testing'
import { expect, test } from 'vitest'
import { requestOf } from './aws-arguments.ts'

const seed = chosenSeed(process.env.FC_SEED)
console.log(`FC_SEED=${seed}`)

// The system hands no program an argument with a zero byte, and no half of a character.
const text = fc
  .oneof(awkwardText(), unicodeText(), fc.string())
  .map((drawn) => drawn.toWellFormed().replaceAll('\0', ''))
const value = fc.oneof(
  text.map((S) => ({ S })),
  fc.integer().map((N) => ({ N: String(N) })),
  fc.array(text, { maxLength: 3 }).map((texts) => ({ L: texts.map((S) => ({ S })) })),
)
const query = fc.record(
  {
    TableName: fc.stringMatching(/^[\w.-]{3,40}$/),
    KeyConditionExpression: fc.constantFrom('#k = :k', 'PK = :partition AND SK BETWEEN :from AND :to'),
    FilterExpression: fc.constantFrom('#a IN (:b, :c)', 'NOT (#a = :b)'),
    ExpressionAttributeNames: fc.dictionary(fc.stringMatching(/^#\w{1,5}$/), text, { minKeys: 1 }),
    ExpressionAttributeValues: fc.dictionary(fc.stringMatching(/^:\w{1,5}$/), value, { minKeys: 1 }),
    ScanIndexForward: fc.boolean(),
    ConsistentRead: fc.boolean(),
    Limit: fc.integer({ min: 1, max: 1000 }),
    IndexName: fc.option(fc.stringMatching(/^[\w.-]{3,40}$/), { nil: undefined }),
    ReturnConsumedCapacity: fc.constant('TOTAL'),
  },
  { requiredKeys: ['TableName', 'KeyConditionExpression'] },
)

test('a shell reads a command as the request that it was made of, whatever is in it', () => {
  fc.assert(
    fc.property(query, (input) => {
      const command = awsCommand('Query', input, { endpoint: 'http://127.0.0.1:8000' })
      expect(requestOf(command)).toEqual({
        name: 'Query',
        input: JSON.parse(JSON.stringify(input)),
        others: { paginate: 'false', 'endpoint-url': 'http://127.0.0.1:8000' },
      })
    }),
    { seed, numRuns: 200 },
  )
})

test('a command names where it reads first, a line for each option', () => {
  const input = {
    ReturnConsumedCapacity: 'TOTAL',
    Key: { PK: { S: "it's" }, B: { B: new Uint8Array([1, 2, 255]) } },
    TableName: 'comments',
    ConsistentRead: true,
    ProjectionExpression: undefined,
  }
  expect(awsCommand('GetItem', input)).toBe(
    [
      'aws dynamodb get-item \\',
      '  --table-name comments \\',
      `  --key '{"PK":{"S":"it'\\''s"},"B":{"B":"AQL/"}}' \\`,
      '  --consistent-read \\',
      '  --return-consumed-capacity TOTAL \\',
      '  --no-paginate',
    ].join('\n'),
  )
})
