import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'

/** Numbers as other programs store them: up to 38 digits, at any magnitude. */
export const decimals: fc.Arbitrary<string> = fc.oneof(
  fc
    .record({
      digits: fc.stringMatching(/^[1-9][0-9]{0,36}[1-9]$/),
      point: fc.oneof(fc.integer({ min: -5, max: 40 }), fc.integer({ min: -80, max: 80 })),
      sign: fc.constantFrom('', '-'),
    })
    .map(({ digits, point, sign }) => `${sign}0.${digits}e${point}`),
  fc.constantFrom('0', '3.333333333333333333333333333', '0.1', '9007199254740993', '0.1000000000000000000001'),
  fc.constantFrom('12345678901234567890.5', '99999999999999999999999999999999999999', '-1e-100'),
  fc.integer().map(String),
)

const bytes = fc.uint8Array({ minLength: 1, maxLength: 8 })
const texts = fc.string({ unit: 'grapheme', maxLength: 12 })
const names = fc.oneof(
  fc.constantFrom('constructor', 'toString', 'valueOf', 'a.b', 'x y', 'N', '#n', 'hasOwnProperty'),
  fc.string({ minLength: 1, maxLength: 6 }).filter((name) => name !== '__proto__'),
)

/** Any value of DynamoDB, three levels deep. */
export const attributeValues: fc.Arbitrary<AttributeValue> = fc.letrec<{ value: AttributeValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    decimals.map((N) => ({ N })),
    texts.map((S) => ({ S })),
    fc.boolean().map((BOOL) => ({ BOOL })),
    fc.constant({ NULL: true as const }),
    bytes.map((B) => ({ B })),
    fc.uniqueArray(texts, { minLength: 1, maxLength: 3 }).map((SS) => ({ SS })),
    // DynamoDB refuses the second of two ways to write one number.
    fc.uniqueArray(decimals, { minLength: 1, maxLength: 4, selector: Number }).map((NS) => ({ NS })),
    fc.uniqueArray(bytes, { minLength: 1, maxLength: 3, selector: String }).map((BS) => ({ BS })),
    fc.array(tie('value'), { maxLength: 3 }).map((L) => ({ L })),
    fc.dictionary(names, tie('value'), { maxKeys: 3 }).map((M) => ({ M })),
  ),
})).value
