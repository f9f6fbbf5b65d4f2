import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ConfigError, readConfig, USAGE } from './config.ts'

test('has a default for everything', () => {
  expect(readConfig([], {})).toEqual({
    port: 3000,
    host: '127.0.0.1',
    dataDir: '.lapidary',
    dynamodbEndpoint: undefined,
    tableName: 'comments',
    demo: undefined,
    adminToken: undefined,
    writerToken: undefined,
    cursorSecret: undefined,
    layout: 'indexes',
    pageIndex: 'dynamodb',
    pageIndexFolder: undefined,
    pageIndexBucket: undefined,
    redisUrl: undefined,
    databaseUrl: undefined,
    logLevel: 'info',
    maxCapacity: 50,
    demoComments: undefined,
    maxLagMs: 60_000,
    identity: undefined,
    moderation: 'show',
    publicUrl: undefined,
  })
})

test('each is in the documents', () => {
  const page = readFileSync(new URL('../../../docs/http-api.md', import.meta.url), 'utf8')
  const names = [...USAGE.matchAll(/^ {2}--([a-z-]+)/gm)].map(([, flag = '']) =>
    flag.toUpperCase().replaceAll('-', '_'),
  )
  expect(names.length).toBeGreaterThan(10)
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})

test('a flag wins over the variable of the same name, and an empty value counts as absent', () => {
  const env = { PORT: '1', DATA_DIR: 'a', ADMIN_TOKEN: '', DEMO: '0' }
  expect(readConfig(['--port', '0', '--data-dir=b'], env)).toMatchObject({
    port: 0,
    dataDir: 'b',
    adminToken: undefined,
    demo: false,
  })
})

test.each([
  ['PORT', '65536'],
  ['PORT', 'http'],
  ['PORT', '-1'],
  ['HOST', 'a b'],
  ['DYNAMODB_ENDPOINT', 'localhost'],
  ['TABLE_NAME', 'ab'],
  ['DEMO', 'yes'],
  ['PUBLIC_URL', 'shop.example'],
  ['PUBLIC_URL', 'https://shop.example/a'],
  ['LAYOUT', 'index'],
  ['PAGE_INDEX', 'disk'],
  ['LOG_LEVEL', 'loud'],
  ['MAX_CAPACITY', '2'],
  ['MAX_CAPACITY', 'NaN'],
  ['MAX_CAPACITY', '50 RCU'],
  ['DEMO_COMMENTS', '0'],
  ['MAX_LAG', '0'],
])('%s=%s is refused by name and value, with what is allowed', (name, value) => {
  expect(() => readConfig([], { [name]: value })).toThrow(
    expect.objectContaining({
      name: 'ConfigError',
      message: expect.stringMatching(`${name} is "${value}"; allowed: .+`),
    }),
  )
})

test('the value of a secret is not shown', () => {
  expect(() =>
    readConfig([], { CURSOR_SECRET: 'short', ADMIN_TOKEN: 'has space', REDIS_URL: 'http://me:secret@x' }),
  ).toThrow(
    new ConfigError(
      [
        'ADMIN_TOKEN is not usable; allowed: 16 to 512 visible ASCII characters without a space; make one with: openssl rand -base64 24',
        'CURSOR_SECRET is not usable; allowed: at least 16 characters; several separated by commas, of which the first signs; make one with: openssl rand -base64 24',
        'REDIS_URL is not usable; allowed: a URL like redis://127.0.0.1:6379',
      ].join('\n'),
    ),
  )
})

test.each(['ADMIN_TOKEN', 'WRITER_TOKEN', 'CURSOR_SECRET'])('%s has at least 16 characters', (name) => {
  const short = 'fifteen-letters'
  expect(() => readConfig([], { [name]: short })).toThrow(new RegExp(`^${name} is not usable; allowed: .*16.*make one`))
  expect(readConfig([], { [name]: `${short}!` })).toMatchObject({ port: 3000 })
})

test('a flag that is not known is refused', () => {
  expect(() => readConfig(['--prot', '1'], {})).toThrow(/--prot/)
  expect(readConfig(['--help'], {})).toBe('help')
})

test('an endpoint that is refused is shown without its password', () => {
  expect(() => readConfig([], { DYNAMODB_ENDPOINT: 'ftp://me:secret@db' })).toThrow(
    expect.objectContaining({ message: expect.stringMatching(/^DYNAMODB_ENDPOINT is "ftp:\/\/…@db"; allowed: .+/) }),
  )
})

test('several cursor secrets are given in one value', () => {
  const secrets = ['the new one is this', 'the old one was this']
  expect(readConfig([], { CURSOR_SECRET: secrets.join(',') })).toMatchObject({ cursorSecret: secrets })
})
