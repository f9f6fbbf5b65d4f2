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

const keysWithCount = fc
  .array(key, { minLength: 1, maxLength: 4 })
  .chain((keys) =>
    fc.oneof(
      { weight: 9, arbitrary: fc.constant([String(keys.length), ...keys]) },
      { weight: 1, arbitrary: rank.map((count) => [count, ...keys]) },
    ),
  )
const weight = fc.oneof({ weight: 5, arbitrary: score }, { weight: 1, arbitrary: fc.constantFrom('-1', '0', 'inf') })
const weights = fc.array(weight, { minLength: 1, maxLength: 4 }).map((list): readonly string[] => ['WEIGHTS', ...list])
/** Keys with a weight for each, as ZUNION and ZINTER take them. */
const weighted = fc
  .array(fc.tuple(key, weight), { minLength: 1, maxLength: 4 })
  .map((list) => [String(list.length), ...list.map(([name]) => name), 'weights', ...list.map(([, factor]) => factor)])
const aggregate = fc.constantFrom('SUM', 'min', 'MAX', 'AVG').map((name): readonly string[] => ['AGGREGATE', name])
const sources = fc.oneof({ weight: 3, arbitrary: keysWithCount }, { weight: 2, arbitrary: weighted })
const end = fc.constantFrom('MIN', 'MAX', 'max', 'min', 'MID')
const popCount = fc.constantFrom('1', '2', '9', '0', 'x').map((count): readonly string[] => ['COUNT', count])
// None of these makes a client wait for long.
const timeout = fc.constantFrom('0.001', '0.002', '-1', 'x', '', 'nan', 'inf', '1e400', '99999999999999999999', ' 1')
/** Commands that make whole sorted sets or look at them, and commands that wait for one. */
const WHOLE_SET_COMMAND: fc.Arbitrary<string[]> = fc.oneof(
  {
    weight: 4,
    arbitrary: command(fc.constantFrom('ZUNION', 'ZINTER', 'zunion'), sources, some([aggregate, withScores])),
  },
  {
    weight: 4,
    arbitrary: command(fc.constantFrom('ZUNIONSTORE', 'ZINTERSTORE'), key, sources, some([aggregate])),
  },
  { weight: 2, arbitrary: command(is('ZDIFF'), keysWithCount, some([withScores])) },
  { weight: 2, arbitrary: command(is('ZDIFFSTORE'), key, keysWithCount) },
  {
    weight: 1,
    arbitrary: command(
      fc.constantFrom('ZUNION', 'ZINTER', 'ZDIFF', 'ZUNIONSTORE', 'ZDIFFSTORE', 'ZINTERCARD'),
      fc.array(fc.oneof(key, rank), { maxLength: 3 }),
      some([weights, aggregate, withScores, limits]),
    ),
  },
  {
    weight: 2,
    arbitrary: command(
      is('ZINTERCARD'),
      keysWithCount,
      some([limit.map((count): readonly string[] => ['LIMIT', count])]),
    ),
  },
  { weight: 2, arbitrary: command(is('ZRANGESTORE'), key, key, rank, rank, some([word('REV', 'WITHSCORES')])) },
  {
    weight: 2,
    arbitrary: command(is('ZRANGESTORE'), key, key, bound, bound, word('BYSCORE'), some([word('REV'), limits])),
  },
  { weight: 3, arbitrary: command(is('ZMPOP'), keysWithCount, end, some([popCount, popCount])) },
  { weight: 1, arbitrary: command(fc.constantFrom('BZPOPMIN', 'BZPOPMAX'), fc.array(key, { maxLength: 3 }), timeout) },
  { weight: 1, arbitrary: command(is('BZMPOP'), timeout, keysWithCount, end, some([popCount])) },
  { weight: 1, arbitrary: command(is('ZRANDMEMBER'), is('never'), some([rank.map((count) => [count]), withScores])) },
  { weight: 2, arbitrary: command(fc.constantFrom('RENAME', 'RENAMENX'), key, key) },
  { weight: 1, arbitrary: command(is('TOUCH'), fc.array(key, { minLength: 1, maxLength: 3 })) },
  { weight: 1, arbitrary: command(fc.constantFrom('FLUSHALL', 'FLUSHDB'), some([word('ASYNC', 'sync', 'now')])) },
  { weight: 1, arbitrary: command(is('OBJECT'), is('REFCOUNT'), key) },
)

/** Commands of transactions. */
export const TRANSACTION_COMMAND: fc.Arbitrary<string[]> = fc.oneof(
  { weight: 4, arbitrary: command(is('MULTI')) },
  { weight: 5, arbitrary: command(is('EXEC')) },
  { weight: 1, arbitrary: command(is('DISCARD')) },
  { weight: 3, arbitrary: command(is('WATCH'), fc.array(key, { minLength: 1, maxLength: 2 })) },
  { weight: 1, arbitrary: command(is('UNWATCH')) },
  // These are refused before they are queued.
  {
    weight: 1,
    arbitrary: fc.constantFrom<string[][]>(['ZADD', 'k0'], ['NOSUCH'], ['WATCH'], ['EXEC', 'now'], ['CLIENT', 'what']),
  },
)

/** Commands about clients and the server whose replies do not depend on either. */
const CLIENT_COMMAND: fc.Arbitrary<string[]> = fc.constantFrom(
  ['CLIENT', 'SETNAME', 'me'],
  ['CLIENT', 'SETNAME', 'a b'],
  ['CLIENT', 'GETNAME'],
  ['CLIENT', 'UNBLOCK', '123456'],
  ['CLIENT', 'UNBLOCK', '123456', 'error'],
  ['CLIENT', 'UNBLOCK', 'x'],
  ['CLIENT', 'UNBLOCK', '1', 'what'],
  ['CLIENT', 'NO-EVICT', 'on'],
  ['CLIENT', 'NO-EVICT', 'what'],
  ['CLIENT', 'KILL', '192.0.2.1:1'],
  ['CLIENT', 'KILL', 'ADDR', '192.0.2.1:1'],
  ['CLIENT', 'KILL', 'ID', '123456', 'SKIPME', 'no'],
  ['CLIENT', 'KILL', 'ID', '0'],
  ['CLIENT', 'KILL', 'WHAT', '1'],
  ['CLIENT', 'LIST', 'TYPE', 'what'],
  ['CLIENT', 'LIST', 'ID', 'x'],
  ['CLIENT', 'LIST', 'WHAT'],
  ['CLIENT', 'REPLY', 'what'],
  ['CONFIG', 'SET', 'no-such-option', '1'],
  ['CONFIG', 'GET', 'no-such-option'],
  ['CONFIG', 'GET'],
  ['CONFIG', 'RESETSTAT'],
  ['CONFIG', 'GET', 'zset-max-ziplist-v*'],
  ['FUNCTION', 'FLUSH'],
  ['FUNCTION', 'FLUSH', 'now'],
  ['OBJECT', 'ENCODING', 'never'],
  ['OBJECT', 'REFCOUNT', 'never'],
  ['MEMORY', 'USAGE', 'never'],
  ['MEMORY', 'USAGE', 'never', 'SAMPLES'],
  ['MEMORY', 'USAGE', 'never', 'SAMPLES', '-1'],
  ['RESET', 'now'],
)

/** Commands on sorted sets of any scores, right and wrong ones. */
export const COMMAND: fc.Arbitrary<string[]> = fc.oneof(
  { weight: 22, arbitrary: WHOLE_SET_COMMAND },
  { weight: 6, arbitrary: TRANSACTION_COMMAND },
  { weight: 2, arbitrary: CLIENT_COMMAND },
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
  // Any command with any arguments, most of them wrong.
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

/** A few short members: Redis keeps such sets in the order of their scores and looks through all of them. */
const shortMember = fc.oneof(
  fc.nat({ max: 12 }).map((n) => `m${n}`),
  fc.constantFrom('', 'a', 'z'),
)

/** Commands on a sorted set by members: one set has equal scores, the other has not. */
export const LEX_COMMAND: fc.Arbitrary<string[]> = fc.oneof(
  { weight: 1, arbitrary: lexCommands('lex', member, fc.constant('0')) },
  { weight: 1, arbitrary: lexCommands('mixed', shortMember, fc.integer({ min: -2, max: 5 }).map(String)) },
)

function lexCommands(name: string, member: fc.Arbitrary<string>, score: fc.Arbitrary<string>): fc.Arbitrary<string[]> {
  const lexKey = fc.constant(name)
  return fc.oneof(
    {
      weight: 4,
      arbitrary: command(
        is('ZADD'),
        lexKey,
        fc.array(fc.tuple(score, member), { minLength: 1, maxLength: 3 }).map((list) => list.flat()),
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
    {
      weight: 1,
      arbitrary: command(
        is('ZRANGESTORE'),
        key,
        lexKey,
        lexBound,
        lexBound,
        word('BYLEX'),
        some([word('REV'), limits]),
      ),
    },
  )
}

/** Commands that came with Redis 7.2. */
export const NEWER_COMMAND: fc.Arbitrary<string[]> = command(
  fc.constantFrom('ZRANK', 'ZREVRANK'),
  key,
  member,
  fc.constantFrom('WITHSCORE', 'withscore', 'WITHSCORES'),
)
