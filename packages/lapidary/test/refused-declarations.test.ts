import {
  anyOf,
  createLapidary,
  defineCollection,
  type Facets,
  hierarchy,
  type Item,
  indexes,
  nativeKeys,
  oneOf,
  powerSet,
  tableFor,
} from 'lapidary'
import { type Attachment, attach, fromElectroDb } from 'lapidary/attach'
import { deflated } from 'lapidary/codecs'
import { createReader } from 'lapidary/reader'
import { expect, test } from 'vitest'
import { schemaOf } from './comments-fixture.ts'

const base = {
  ...{ name: 'THING', schema: schemaOf<Item>(), id: 'id', order: 'at' },
  scope: { name: 'PARENT', attribute: 'parent' },
} as const
const things = (facets: Facets, rest: object = {}) => defineCollection({ ...base, facets, ...rest })
const table = (collection: ReturnType<typeof things>, layout = indexes()) =>
  tableFor({ tableName: 'things', collections: { things: collection }, layout })
const letters = (count: number) => Array.from({ length: count }, (_, i) => `v${i}`)
const text = { type: 'string' } as const
const attached = (kind: unknown) => () =>
  attach({
    ...{ client: {} as never, tableName: 'things', cursorSecret: 'a secret of the tests' },
    collections: { things: { collection: things({ tag: oneOf() }), kind: kind as Attachment['kind'] } as Attachment },
  })

test.each<[string, () => unknown, RegExp]>([
  [
    'a power set of 12 values',
    () => table(things({ tag: anyOf(letters(12)) }), powerSet()),
    /tag with 12 values takes 2,048 entries .* 4,096 write units .* bytes\. At most 512 .*: declare fewer values.* or use the layout indexes\(\)/,
  ],
  ...(
    [
      ['amount', /sums is "amount"; give its attributes as a list/],
      [['amount', 'amount'], /sums names amount twice; name it once/],
      [letters(9), /sums names 9 attributes; at most 8 are summed beside the counts/],
      [['id'], /sums names id, which is the id or the scope and so a text; name a number/],
      [['parent'], /sums names parent, which is the id or the scope/],
      [[7], /sums names 7; name an attribute whose values are numbers/],
    ] as const
  ).map(([sums, message]): [string, () => unknown, RegExp] => [
    `sums of ${JSON.stringify(sums)}`,
    () => things({ tag: oneOf() }, { sums }),
    message,
  ]),
  ...(
    [
      [
        { sum: 'a', average: 'b' },
        /leaderboard top is by the sum of "a" and by the average of "b"; declare two boards/,
      ],
      [{ sum: 'a', atLeast: 2 }, /leaderboard top has atLeast, which a board by an average takes; say average: or/],
      [{ atLeast: 2 }, /leaderboard top has atLeast/],
      [{ average: 'a', atLeast: 0 }, /leaderboard top ranks scopes of at least 0 items; say a whole number from 1 to/],
      [{ average: 'a', atLeast: 1.5 }, /of at least 1\.5 items/],
      [{ average: 'id' }, /leaderboard top names id, which is the id or the scope/],
      [{ sum: '' }, /leaderboard top names ""; name an attribute whose values are numbers/],
      [{ max: 'a' }, /leaderboard top: "max" is no option; there are where, sum, average, atLeast, shards/],
    ] as const
  ).map(([board, message]): [string, () => unknown, RegExp] => [
    `a board ${JSON.stringify(board)}`,
    () => things({ tag: oneOf() }, { leaderboards: { top: board } }),
    message,
  ]),
  ...(
    [
      [{ across: 0 }, /statistics are across 0; say a whole number of shards, 1 to 64/],
      [{ across: true }, /statistics are across true/],
      [{ days: { of: '' } }, /items are counted by the days of ""; name an attribute whose values are times/],
      [{ days: { zone: 'Mars/Base' } }, /of the zone "Mars\/Base"; name one as UTC or Europe\/Berlin/],
      [{ hours: true }, /statistics: "hours" is no option; there are across, days/],
      [{ days: { every: 'day' } }, /the days of statistics: "every" is no option; there are of, zone/],
    ] as const
  ).map(([statistics, message]): [string, () => unknown, RegExp] => [
    `statistics ${JSON.stringify(statistics)}`,
    () => things({ tag: oneOf() }, { statistics }),
    message,
  ]),
  [
    'days of an order that is no time',
    () => things({ tag: oneOf() }, { order: { attribute: 'at', type: 'number' }, statistics: { days: true } }),
    /by the days of at, by which lists are ordered as a number; name an attribute whose values are times: days: \{ of: … \}/,
  ],
  [
    'sums of what another program writes',
    () =>
      attach({
        ...{ client: {} as never, tableName: 'things', cursorSecret: 'a secret of the tests' },
        collections: { things: { collection: things({ tag: oneOf() }, { sums: ['price'] }) } as Attachment },
      }),
    /THING is written by another program, so it has no sums; leave them out of the declaration/,
  ],
  ...(
    [
      [
        'an empty name',
        () => ({ tag: oneOf({ path: 'a..b' }) }),
        /path "a\.\.b" with an empty name; dots part the names of a path, and a name with a dot in it can't be reached/,
      ],
      [
        'six names',
        () => ({ tag: oneOf({ path: 'a.b.c.d.e.f' }) }),
        /path "a\.b\.c\.d\.e\.f" of 6 names; at most 5 are followed/,
      ],
      ['a name that is lost', () => ({ tag: oneOf({ path: 'a.__proto__' }) }), /with __proto__, which SDKs lose/],
      ['no text', () => ({ tag: oneOf({ path: 7 as never }) }), /has the path 7; give a text: address\.city/],
      [
        'a function too',
        () => ({ tag: oneOf({ path: 'a.b', of: () => '' }) }),
        /has the path "a\.b" and a function of; a value comes from one of them/,
      ],
      [
        'its own name',
        () => ({ tag: oneOf({ path: 'tag' }) }),
        /the facet tag has the path tag, which is its own attribute; leave path out/,
      ],
      [
        'the name of an attribute',
        () => ({ tag: oneOf({ path: 'a.b' }), a: oneOf({ path: 'c.d' }) }),
        /the facet a has its values from the path c\.d, and a is an attribute too/,
      ],
      [
        'the id',
        () => ({ tag: oneOf({ path: 'id' }) }),
        /id is the id, the scope or the order, so it can't be a facet too/,
      ],
    ] as const
  ).map(([name, facets, message]): [string, () => unknown, RegExp] => [
    `a path with ${name}`,
    () => things(facets()),
    message,
  ]),
  ...(
    [
      ['of is no function', { of: 'text' as never }, /has the of "text"; give a function of the item/],
      ['the version is no number', { of: () => '', version: 0.5 }, /has the version 0\.5; give a whole number from 1/],
      ['there is a version alone', { version: 2 }, /says version 2 and no function of; leave version out, or say of/],
    ] as const
  ).map(([name, options, message]): [string, () => unknown, RegExp] => [
    `a computed facet where ${name}`,
    () => things({ tag: oneOf(options) }),
    message,
  ]),
  [
    'a computed facet by the name of what is summed',
    () => things({ price: oneOf({ of: () => '' }) }, { sums: ['price'] }),
    /the facet price has its values from a function, and price is an attribute too; choose another name/,
  ],
  [
    'a facet inside of numbers that JavaScript does not hold',
    () => things({ tag: oneOf('number', { path: 'long.a' }) }, { numbers: { long: 'bigint' } }),
    /the numbers of long are bigints, and a facet has numbers of JavaScript/,
  ],
  [
    'a path into an attribute that only a look-up shows',
    () =>
      things(
        { tag: oneOf({ path: 'more.tag' }) },
        { attributes: { id: 'i', parent: 'p', at: 'a', more: { name: 'm', shownIn: 'lookup' } } },
      ),
    /more is only for a look-up, but lists filter and show by it/,
  ],
  [
    'a path into a name that the table uses itself',
    () =>
      createLapidary({
        ...{ client: {} as never, tableName: 'things', cursorSecret: 'a secret of the tests' },
        collections: { things: things({ tag: oneOf({ path: 'PK.a' }) }) },
      }),
    /"PK" of THING is a name that the table uses itself; declare a stored name for it under attributes/,
  ],
  [
    'native keys on a path',
    () =>
      table(
        things(
          { tag: oneOf({ path: 'a.b' }) },
          { idOrder: 'raw', indexes: { all: {}, byTag: { partition: ['tag'] } } },
        ),
        nativeKeys(),
      ),
    /index byTag is on tag, which can be no key: .* nothing inside of a map and nothing computed; leave it out/,
  ],
  [
    'a path whose key is called as an attribute',
    () => things({ 'a>b': oneOf(), tag: oneOf({ path: 'a.b' }) }),
    /the facet tag has its values from the path a\.b, which keys call "a>b" as another; choose another name/,
  ],
  [
    'an index past 20',
    () =>
      table(things({ tag: oneOf() }, { indexes: Object.fromEntries(letters(21).map((name) => [`by-${name}`, {}])) })),
    /21 indexes .*; DynamoDB allows 20 for a table, so declare fewer/,
  ],
  [
    'an index only for null',
    () => things({ tag: oneOf() }, { indexes: { odd: { only: null } } }),
    /index odd is only for null; give .* \{ tag: \[…\] \}, or leave only out/,
  ],
  [
    'an index only for a list of values',
    () => things({ tag: oneOf() }, { indexes: { odd: { only: ['a'] } } }),
    /index odd is only for .*; give .* or leave only out/,
  ],
  ...(['partition', 'sort'] as const).map((part): [string, () => unknown, RegExp] => [
    `an index with a ${part} that is no list`,
    () => things({ tag: oneOf() }, { indexes: { odd: { [part]: null } } }),
    new RegExp(`index odd has the ${part} null; give its facets as a list`),
  ]),
  ['a kind with an empty text', attached({ type: '' }), /THING has the kind type: ""; give a text .*leave kind out/],
  ['a kind without a name', attached({ '': 'ORDER' }), /THING has the kind "": "ORDER"; give a text .*leave kind out/],
  ['a kind that is a number', attached({ type: 5 }), /THING has the kind type: 5; give a text/],
  ['a kind that is null', attached(null), /THING has the kind null; give .*leave kind out/],
  [
    'a sort key past 1,024 bytes',
    () =>
      table(
        things(
          { tag: anyOf(['a'.repeat(600), 'b']), kind: anyOf(['c'.repeat(400)]) },
          { indexes: { odd: { sort: ['tag', 'kind'] } } },
        ),
      ),
    /index odd .* keys of up to 1\d{3} bytes, and DynamoDB takes 1024; .*partition/,
  ],
  [
    'keys of a power set past 1,024 bytes',
    () => table(things({ tag: anyOf(letters(5).map((value) => value.repeat(150))) }), powerSet()),
    /keys of 1\d{3} bytes.* at most 1024: write sets as bit masks, powerSet\(\{ sets: 'mask' \}\)/,
  ],
  [
    'an expiry that each change would write',
    () => things({ tag: oneOf() }, { updatedAt: 'until', expires: 'until' }),
    /until is both updatedAt and expires; the library keeps .* give each an attribute of its own/,
  ],
  [
    'a version that is the time of the last change',
    () => things({ tag: oneOf() }, { version: 'kept', updatedAt: 'kept' }),
    /kept is both version and updatedAt/,
  ],
  ['an id that counts versions', () => things({ tag: oneOf() }, { version: 'id' }), /id is both id and version/],
  ['a scope that expires', () => things({ tag: oneOf() }, { expires: 'parent' }), /parent is both scope and expires/],
  [
    'a separator of paths that begins as it ends',
    () => hierarchy('::'),
    /hierarchy\('::'\) begins as it ends, so a path could be split in two ways; give one character/,
  ],
  [
    'a condition that can never hold',
    () => things({ tag: anyOf(['a', 'b']) }, { indexes: { odd: { only: { tag: [] } } } }),
    /odd.*empty set.*: name the values, or leave tag out/,
  ],
  [
    'a condition that is no list',
    () => things({ tag: oneOf() }, { indexes: { odd: { only: { tag: 'admin' } } } }),
    /odd is only for tag in "admin"; give its values as a list, \["admin"\]/,
  ],
  [
    'a condition on a value that the facet lacks',
    () => things({ tag: anyOf(['a', 'b']) }, { indexes: { odd: { only: { tag: ['c'] } } } }),
    /odd.*must be one of/,
  ],
  [
    'a facet that the attached table does not have',
    () =>
      fromElectroDb(
        { schema: { model: { entity: 'thing', version: '1' }, attributes: { id: text, parent: text, at: text } } },
        { ...base, order: { attribute: 'at', type: 'string' }, facets: { colour: oneOf() } } as never,
      ),
    /colour.*(id, parent, at|attributes? (are|of))/,
  ],
  [
    'a codec whose dictionary is missing',
    () => deflated({ dictionaries: ['no-such.dict'] }),
    /no-such\.dict.*lapidary train-dictionary/,
  ],
  ['a codec without options', () => deflated(undefined as never), /has no dictionary; train one \(lapidary train-d/],
  [
    'a codec whose dictionary is undefined',
    () => deflated({ dictionaries: [undefined as never] }),
    /a dictionary is undefined; give its bytes, or its file/,
  ],
])('%s is refused when it is declared, with what to do', (_, declare, message) => {
  expect(declare).toThrow(expect.objectContaining({ name: 'LapidaryError', message: expect.stringMatching(message) }))
})

test.each<[string, object, object, RegExp]>([
  ['no name', { tableName: '' }, {}, /no table can be called ""; a name has 3 to 255/],
  ['a name with a space', { tableName: 'my things' }, {}, /no table can be called "my things"/],
  ['a name of two letters', { tableName: 'me' }, {}, /no table can be called "me"/],
  ['a facet with a name of the table', {}, { facets: { k: oneOf() } }, /"k" of THING is a name that the table uses/],
  ['a scope with one', {}, { scope: { name: 'PARENT', attribute: 's.x' } }, /"s\.x" of THING is a name that the table/],
  ['an expiry with one', {}, { expires: 'ttl' }, /"ttl" of THING .*; declare a stored name for it under attributes/],
  [
    'a facet without a stored name',
    {},
    { attributes: { id: 'i', parent: 'p', at: 'a' } },
    /"tag" of THING is not decl/,
  ],
  [
    'a version without one',
    {},
    { version: 'v', attributes: { id: 'i', parent: 'p', at: 'a', tag: 'f' } },
    /"v" of THING is not declared under attributes/,
  ],
])('%s is refused when it is opened, to read or to write, with what to do', (_, settings, rest, message) => {
  const thing = things({ tag: oneOf() }, rest)
  const opened = { client: {} as never, tableName: 'things', cursorSecret: 'a secret of the tests', ...settings }
  const collections = { thing }
  for (const open of [() => createLapidary({ ...opened, collections }), () => createReader({ ...opened, collections })])
    expect(open).toThrow(
      expect.objectContaining({ code: 'declaration_invalid', message: expect.stringMatching(message) }),
    )
})

test.each<[string, object, RegExp]>([
  [
    'sort key',
    { sort: letters(5) },
    /the key s\.v0\..*, "é+…, would have 1\d{3} bytes, .* takes 1024; shorten v0 or .*id$/,
  ],
  [
    'partition key',
    { partition: letters(9) },
    /the key k\.v0\..*, "THING\/1\/é+…, would have 2\d{3} bytes, .* takes 2048; shorten v0 or .*parent$/,
  ],
])(
  'values that are short enough by themselves, and not together in a %s, are refused with the item',
  (_, odd, message) => {
    const facets = Object.fromEntries(letters(9).map((name) => [name, oneOf()]))
    const values = Object.fromEntries(letters(9).map((name) => [name, 'é'.repeat(120)]))
    const lists = indexes().of(things(facets, { indexes: { odd } }) as never)
    const item = { id: '1', parent: '1', at: '2026-01-01T00:00:00.000Z', ...values }
    expect(() => lists.entriesOf(item, {})).toThrow(
      expect.objectContaining({ code: 'unprocessable', message: expect.stringMatching(message) }),
    )
  },
)
