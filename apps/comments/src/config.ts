import { parseArgs } from 'node:util'
import { shownEndpoint } from 'lapidary-engine'
import * as z from 'zod'
import { DEFAULT_MAX_CAPACITY } from './services.ts'

/** All settings of the server: each is an environment variable, or the flag of the same name, which wins. */
export interface Config {
  /** 0 = any free port. */
  readonly port: number
  readonly host: string
  readonly dataDir: string
  readonly dynamodbEndpoint: string | undefined
  readonly tableName: string
  /** The address of the pages as seen from outside, without a slash at its end; undefined = the address of each request. */
  readonly publicUrl: string | undefined
  /** Whether to fill in demo data; undefined = yes on an engine of our own, no on AWS. */
  readonly demo: boolean | undefined
  /** The number of demo comments; undefined = as many as the layout takes within seconds. */
  readonly demoComments: number | undefined
  readonly adminToken: string | undefined
  readonly writerToken: string | undefined
  /** The secrets of cursors: the first signs, all verify; undefined = one kept in `dataDir`. */
  readonly cursorSecret: readonly string[] | undefined
  readonly layout: 'indexes' | 'power-set' | 'native-keys'
  readonly pageIndex: string
  readonly redisUrl: string | undefined
  readonly databaseUrl: string | undefined
  /** The folder of the page index's files; undefined = within `dataDir`. */
  readonly pageIndexFolder: string | undefined
  /** The S3 bucket of the page index's objects. */
  readonly pageIndexBucket: string | undefined
  readonly logLevel: string
  /** The most RCU that the lists of one request may read. */
  readonly maxCapacity: number
  /** The module that says who sends a request; undefined = machines alone write, and in the demo anybody by a name. */
  readonly identity: string | undefined
  /** Whether new comments of people show at once, or wait for a moderator. */
  readonly moderation: 'show' | 'wait'
  /** Where photos of comments are kept: a folder, `s3://bucket/prefix` or a module; `0` = comments have none; undefined = within `dataDir`, on AWS none. */
  readonly photos: string | undefined
  /** Milliseconds by which counts may be behind before the pages say so, and the server is not ready. */
  readonly maxLagMs: number
}

/** The error of settings that can't be used; the message has a line for each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

const PAGE_INDEXES = ['dynamodb', 'page-markers', 'redis', 'postgres', 'pglite', 'file', 's3', 'none'] as const
const LAYOUTS = ['indexes', 'power-set', 'native-keys'] as const
const MODERATIONS = ['show', 'wait'] as const
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

interface Setting {
  readonly schema: z.ZodType
  readonly allowed: string
  /** Messages must not show its value. */
  readonly secret?: true
  /** Returns its value as a message may show it. */
  readonly shown?: (value: string) => string
}

const MAKE_ONE = 'make one with: openssl rand -base64 24'

const token: Setting = {
  schema: z.string().regex(/^[\x21-\x7e]{16,512}$/),
  allowed: `16 to 512 visible ASCII characters without a space; ${MAKE_ONE}`,
  secret: true,
}

const SETTINGS = {
  PORT: {
    schema: z
      .string()
      .regex(/^\d{1,5}$/)
      .transform(Number)
      .pipe(z.int().max(65_535))
      .default(3000),
    allowed: 'a whole number from 0 to 65535; 0 = any free port',
  },
  HOST: {
    schema: z
      .string()
      .regex(/^[\w.:-]{1,253}$/)
      .default('127.0.0.1'),
    allowed: 'a host name or an IP address',
  },
  DATA_DIR: { schema: z.string().default('.lapidary'), allowed: 'a folder' },
  DYNAMODB_ENDPOINT: {
    schema: z.union([z.literal('aws'), z.url({ protocol: /^https?$/ })]).optional(),
    allowed: 'a URL like http://127.0.0.1:8000, or aws; leave it out for the embedded engine',
    shown: shownEndpoint,
  },
  TABLE_NAME: {
    schema: z
      .string()
      .regex(/^[\w.-]{3,255}$/)
      .default('comments'),
    allowed: '3 to 255 letters, digits, _ . -',
  },
  PUBLIC_URL: {
    schema: z
      .string()
      .regex(/^https?:\/\/[\w.:[\]-]{1,253}\/?$/)
      .transform((value) => value.replace(/\/$/, ''))
      .optional(),
    allowed: 'the address that people see, like https://shop.example, without a path',
  },
  DEMO: {
    schema: z
      .enum(['0', '1'])
      .transform((value) => value === '1')
      .optional(),
    allowed: '0 (no demo data) or 1',
  },
  DEMO_COMMENTS: {
    schema: z.coerce.number().int().min(1).max(1_000_000).optional(),
    allowed: 'a whole number from 1 to 1000000: the comments of the demo data',
  },
  ADMIN_TOKEN: { ...token, schema: token.schema.optional() },
  WRITER_TOKEN: { ...token, schema: token.schema.optional() },
  CURSOR_SECRET: {
    schema: z
      .string()
      .transform((value) => value.split(','))
      .pipe(z.array(z.string().min(16)))
      .optional(),
    allowed: `at least 16 characters; several separated by commas, of which the first signs; ${MAKE_ONE}`,
    secret: true,
  },
  LAYOUT: { schema: z.enum(LAYOUTS).default('indexes'), allowed: LAYOUTS.join(', ') },
  PAGE_INDEX: { schema: z.enum(PAGE_INDEXES).default('dynamodb'), allowed: PAGE_INDEXES.join(', ') },
  PAGE_INDEX_FOLDER: { schema: z.string().optional(), allowed: 'a folder, for PAGE_INDEX=file' },
  PAGE_INDEX_BUCKET: {
    schema: z
      .string()
      .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/)
      .optional(),
    allowed: 'the name of a bucket, for PAGE_INDEX=s3',
  },
  REDIS_URL: {
    schema: z.url({ protocol: /^rediss?$/ }).optional(),
    allowed: 'a URL like redis://127.0.0.1:6379',
    secret: true,
  },
  DATABASE_URL: {
    schema: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
    allowed: 'a URL like postgres://127.0.0.1:5432/comments',
    secret: true,
  },
  MAX_CAPACITY: {
    schema: z.coerce.number().min(3).max(100_000).default(DEFAULT_MAX_CAPACITY),
    allowed: 'a number from 3 to 100000: the RCU that one request may read',
  },
  MAX_LAG: {
    schema: z.coerce
      .number()
      .min(1)
      .max(86_400)
      .transform((seconds) => seconds * 1000)
      .default(60_000),
    allowed: 'seconds from 1 to 86400 by which counts may be behind',
  },
  IDENTITY: { schema: z.string().optional(), allowed: 'a module that exports identify, like ./identity.mjs' },
  PHOTOS: { schema: z.string().optional(), allowed: 'a folder, s3://bucket/prefix or a module; 0 = no photos' },
  MODERATION: { schema: z.enum(MODERATIONS).default('show'), allowed: 'show (new comments at once) or wait' },
  LOG_LEVEL: { schema: z.enum(LOG_LEVELS).default('info'), allowed: LOG_LEVELS.join(', ') },
} as const satisfies Readonly<Record<string, Setting>>

type SettingName = keyof typeof SETTINGS

/** The text of `--help`. */
export const USAGE: string = [
  'Usage: npm start -- [flags]',
  '',
  'Each flag is also an environment variable (--data-dir is DATA_DIR); a flag wins.',
  '',
  ...Object.entries(SETTINGS).map(([name, { allowed }]) => `  --${flagOf(name).padEnd(20)}${allowed}`),
].join('\n')

/**
 * Reads flags and environment; a variable without a value counts as absent.
 *
 * @returns `help` when `--help` was asked for.
 * @throws {ConfigError} with one line for each wrong value: the variable, its value, what is allowed.
 */
export function readConfig(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Config | 'help' {
  const flags = parseFlags(args)
  if (flags.help === true) return 'help'
  const problems: string[] = []
  const read = <N extends SettingName>(name: N): z.output<(typeof SETTINGS)[N]['schema']> => {
    const { schema, allowed, secret, shown = String }: Setting = SETTINGS[name]
    const flag = flags[flagOf(name)]
    const value = (typeof flag === 'string' ? flag : env[name]) || undefined
    const result = schema.safeParse(value)
    if (result.success) return result.data as never
    const source = typeof flag === 'string' ? `--${flagOf(name)}` : name
    problems.push(`${source} is ${secret ? 'not usable' : JSON.stringify(shown(value ?? ''))}; allowed: ${allowed}`)
    return undefined as never
  }
  const config: Config = {
    port: read('PORT'),
    host: read('HOST'),
    dataDir: read('DATA_DIR'),
    dynamodbEndpoint: read('DYNAMODB_ENDPOINT'),
    tableName: read('TABLE_NAME'),
    publicUrl: read('PUBLIC_URL'),
    demo: read('DEMO'),
    demoComments: read('DEMO_COMMENTS'),
    adminToken: read('ADMIN_TOKEN') as string | undefined,
    writerToken: read('WRITER_TOKEN') as string | undefined,
    cursorSecret: read('CURSOR_SECRET'),
    layout: read('LAYOUT'),
    pageIndex: read('PAGE_INDEX'),
    pageIndexFolder: read('PAGE_INDEX_FOLDER'),
    pageIndexBucket: read('PAGE_INDEX_BUCKET'),
    redisUrl: read('REDIS_URL'),
    databaseUrl: read('DATABASE_URL'),
    logLevel: read('LOG_LEVEL'),
    maxCapacity: read('MAX_CAPACITY'),
    maxLagMs: read('MAX_LAG'),
    identity: read('IDENTITY'),
    photos: read('PHOTOS'),
    moderation: read('MODERATION'),
  }
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
  return config
}

function parseFlags(args: readonly string[]): Readonly<Record<string, string | boolean | undefined>> {
  const names = Object.keys(SETTINGS).map((name) => [flagOf(name), { type: 'string' }] as const)
  try {
    const options = { ...Object.fromEntries(names), help: { type: 'boolean' as const, short: 'h' } }
    return parseArgs({ args: [...args], options, allowPositionals: false }).values
  } catch (error) {
    throw new ConfigError(`${error instanceof Error ? error.message : String(error)}\nnpm start -- --help lists them.`)
  }
}

/** Returns the flag of a variable: `DATA_DIR` is `--data-dir`. */
function flagOf(name: string): string {
  return name.toLowerCase().replaceAll('_', '-')
}
