import fc from 'fast-check'

const key = fc.constantFrom('k0', 'k1', 'k2', 'a key', 'missing')
const member = fc.oneof(
  { weight: 6, arbitrary: fc.nat({ max: 12 }).map((n) => `m${n}`) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 4 }).map((bytes) => Buffer.from(bytes).toString('latin1')) },
  { weight: 1, arbitrary: fc.constantFrom('', '\0', 'ÿ', 'm'.repeat(70), 'with\r\nlines') },
)
const score = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: -3, max: 4 }).map(String) },
  {
    weight: 2,
    arbitrary: fc.constantFrom('1.5', '-0.25', '3.10', '1e3', '1e-7', '.5', '+2', '5.', '-0', '1e21', '123456789012'),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      'inf',
      '-inf',
      '+Inf',
      'Infinity',
      '1.7976931348623157e308',
      '0.1',
      '4503599627370497.5',
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom('nan', 'abc', '', ' 1', '1 ', '1e400', '1e-400', '0x10', '--1', '1,5') },
)
const bound = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: -4, max: 5 }).map(String) },
  { weight: 3, arbitrary: fc.integer({ min: -4, max: 5 }).map((n) => `(${n}`) },
  { weight: 2, arbitrary: fc.constantFrom('-inf', '+inf', '(inf', '(-inf', '1.5', '(0.1', '-0', '(-0') },
  { weight: 1, arbitrary: fc.constantFrom('', '(', 'x', '[1', 'nan', '((1', ' 1', '1 ') },
)
const lexBound = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(fc.constantFrom('[', '('), member).map(([mark, text]) => mark + text) },
  { weight: 3, arbitrary: fc.constantFrom('-', '+') },
  { weight: 1, arbitrary: fc.constantFrom('', 'x', '-x', '++', '[', '(') },
)
const rank = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: -9, max: 9 }).map(String) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      'x',
      '1.5',
      '01',
      '+1',
      ' 1',
      '-0',
      '9223372036854775807',
      '-9223372036854775808',
      '9223372036854775808',
    ),
  },
)
const limit = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: -2, max: 5 }).map(String) },
  { weight: 1, arbitrary: fc.constantFrom('x', '', '1e1') },
)
const limits = fc.tuple(fc.constantFrom('LIMIT', 'limit'), limit, limit)
const some = (options: fc.Arbitrary<readonly string[]>[]): fc.Arbitrary<string[]> =>
  fc.tuple(...options.map((option) => fc.option(option, { freq: 2, nil: [] }))).map((parts) => parts.flat())
const word = (...texts: string[]): fc.Arbitrary<readonly string[]> => fc.constantFrom(...texts.map((text) => [text]))

const addOptions = some([word('NX', 'nx'), word('XX'), word('GT'), word('LT'), word('CH', 'ch'), word('INCR')])
const pairs = fc.array(fc.tuple(score, member), { minLength: 1, maxLength: 4 }).map((list) => list.flat())
const command = (...parts: fc.Arbitrary<string | readonly string[]>[]): fc.Arbitrary<string[]> =>
  fc.tuple(...parts).map((list) => list.flat())
const is = (text: string): fc.Arbitrary<string> => fc.constantFrom(text, text, text.toLowerCase())
const withScores = word('WITHSCORES', 'withscores')

/** Commands on sorted sets of any scores, right and wrong ones. */
export const COMMAND: fc.Arbitrary<string[]> = fc.oneof(
  { weight: 14, arbitrary: command(is('ZADD'), key, pairs) },
  { weight: 5, arbitrary: command(is('ZADD'), key, addOptions, pairs) },
  { weight: 2, arbitrary: command(is('ZINCRBY'), key, score, member) },
  { weight: 4, arbitrary: command(is('ZREM'), key, fc.array(member, { minLength: 1, maxLength: 3 })) },
  { weight: 3, arbitrary: command(is('ZRANGE'), key, rank, rank, some([word('REV', 'rev'), withScores])) },
  {
    weight: 3,
    arbitrary: command(is('ZRANGE'), key, bound, bound, word('BYSCORE'), some([word('REV'), limits, withScores])),
  },
  {
    weight: 1,
    arbitrary: command(
      is('ZRANGE'),
      key,
      bound,
      bound,
      some([word('BYSCORE'), word('REV'), limits, withScores, word('BYLEX', 'what')]),
    ),
  },
  { weight: 2, arbitrary: command(is('ZREVRANGE'), key, rank, rank, some([withScores, limits])) },
  { weight: 2, arbitrary: command(is('ZRANGEBYSCORE'), key, bound, bound, some([withScores, limits])) },
  { weight: 2, arbitrary: command(is('ZREVRANGEBYSCORE'), key, bound, bound, some([withScores, limits])) },
  { weight: 3, arbitrary: command(fc.constantFrom('ZRANK', 'ZREVRANK', 'zrank'), key, member) },
  { weight: 2, arbitrary: command(is('ZSCORE'), key, member) },
  { weight: 2, arbitrary: command(is('ZMSCORE'), key, fc.array(member, { minLength: 1, maxLength: 3 })) },
  { weight: 2, arbitrary: command(is('ZCARD'), key) },
  { weight: 2, arbitrary: command(is('ZCOUNT'), key, bound, bound) },
  { weight: 1, arbitrary: command(is('ZREMRANGEBYRANK'), key, rank, rank) },
  { weight: 1, arbitrary: command(is('ZREMRANGEBYSCORE'), key, bound, bound) },
  { weight: 2, arbitrary: command(fc.constantFrom('ZPOPMIN', 'ZPOPMAX'), key, some([limit.map((text) => [text])])) },
  { weight: 1, arbitrary: command(is('DEL'), fc.array(key, { minLength: 1, maxLength: 2 })) },
  { weight: 1, arbitrary: command(is('EXISTS'), fc.array(key, { minLength: 1, maxLength: 3 })) },
  { weight: 1, arbitrary: command(is('TYPE'), key) },
  { weight: 1, arbitrary: command(is('DBSIZE')) },
  { weight: 1, arbitrary: command(is('ECHO'), member) },
  { weight: 1, arbitrary: command(is('PING'), some([member.map((text) => [text])])) },
  // Anything with any arguments, of which most are wrong.
  {
    weight: 3,
    arbitrary: command(
      fc.constantFrom(
        ...'ZADD ZREM ZINCRBY ZRANGE ZREVRANGE ZRANGEBYSCORE ZRANGEBYLEX ZRANK ZSCORE ZMSCORE ZCARD'.split(' '),
        ...'ZCOUNT ZLEXCOUNT ZPOPMIN ZREMRANGEBYRANK DEL EXISTS TYPE KEYS DBSIZE PING ECHO SELECT NOSUCH CLIENT AUTH SCAN ZSCAN'.split(
          ' ',
        ),
      ),
      fc.array(fc.oneof(key, score, bound, member), { maxLength: 5 }),
    ),
  },
)

const lexKey = fc.constant('lex')

/** Commands on one sorted set whose scores are all equal. */
export const LEX_COMMAND: fc.Arbitrary<string[]> = fc.oneof(
  {
    weight: 4,
    arbitrary: command(
      is('ZADD'),
      lexKey,
      fc
        .array(
          member.map((text) => ['0', text]),
          { minLength: 1, maxLength: 3 },
        )
        .map((list) => list.flat()),
    ),
  },
  { weight: 1, arbitrary: command(is('ZREM'), lexKey, member) },
  {
    weight: 3,
    arbitrary: command(
      is('ZRANGE'),
      lexKey,
      lexBound,
      lexBound,
      word('BYLEX', 'bylex'),
      some([word('REV'), limits, withScores]),
    ),
  },
  { weight: 2, arbitrary: command(is('ZRANGEBYLEX'), lexKey, lexBound, lexBound, some([limits])) },
  { weight: 2, arbitrary: command(is('ZREVRANGEBYLEX'), lexKey, lexBound, lexBound, some([limits])) },
  { weight: 2, arbitrary: command(is('ZLEXCOUNT'), lexKey, lexBound, lexBound) },
  { weight: 1, arbitrary: command(is('ZREMRANGEBYLEX'), lexKey, lexBound, lexBound) },
)

/** What came with Redis 7.2. */
export const NEWER_COMMAND: fc.Arbitrary<string[]> = command(
  fc.constantFrom('ZRANK', 'ZREVRANK'),
  key,
  member,
  fc.constantFrom('WITHSCORE', 'withscore', 'WITHSCORES'),
)
