import { setTimeout as sleep } from 'node:timers/promises'
import type { InputIssue } from 'lapidary'
import type { z } from 'zod'
import { jsonShape } from './json-text.ts'
import { badRequest, HttpProblem, unprocessable } from './problem.ts'
import type { FileBody } from './route.ts'

/** The most bytes of a body. */
export const MAX_BODY_BYTES: number = 128 * 1024
const MAX_DISCARDED_BYTES = 32 * 1024 * 1024
/** Milliseconds of pause after which a client seems to wait for its answer. */
const PAUSE_MS = 200
const MAX_DEPTH = 32
const JSON_TYPES = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i

/**
 * Reads a JSON object from a request and checks it by a schema.
 *
 * @throws {HttpProblem} `unsupported_media_type`, `too_large`, `bad_request` (not JSON), `unprocessable` (wrong values).
 */
export async function readJsonBody<T>(request: Request, schema: z.ZodType<T>): Promise<T> {
  const result = schema.safeParse(await readJson(request))
  if (!result.success) throw unprocessable('the body was refused', inputIssues(result.error.issues))
  return result.data
}

/**
 * Reads a JSON object from a request.
 *
 * @throws {HttpProblem} `unsupported_media_type`, `too_large`, `bad_request` (not JSON), `unprocessable` (no object).
 */
export async function readJsonObject(request: Request): Promise<Readonly<Record<string, unknown>>> {
  const value = await readJson(request)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw unprocessable('the body was refused', [{ path: '', message: 'must be a JSON object' }])
}

async function readJson(request: Request): Promise<unknown> {
  const type = request.headers.get('content-type')
  if (type === null || !JSON_TYPES.test(type)) {
    throw new HttpProblem('unsupported_media_type', 'the body must be JSON, with Content-Type: application/json', {
      headers: { accept: 'application/json' },
    })
  }
  return parseJson(await readText(request, MAX_BODY_BYTES))
}

/** Lists each issue that a schema found, unknown attributes by their names. */
export function inputIssues(issues: readonly z.core.$ZodIssue[]): InputIssue[] {
  return issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({ path: [...issue.path, key].map(String).join('.'), message: 'is not known here' }))
      : [{ path: issue.path.map(String).join('.'), message: issue.message }],
  )
}

/**
 * Reads a body as text, as {@link readBytes} reads it.
 *
 * @throws {HttpProblem} `too_large`, `bad_request` (cut off, or not UTF-8), `unsupported_media_type` (compressed).
 */
export async function readText(request: Request, maxBytes: number): Promise<string> {
  const bytes = await readBytes(request, maxBytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw badRequest('the body was refused', [{ path: '', message: 'it is not UTF-8' }])
  }
}

/**
 * Reads a body that is a file.
 *
 * @throws {HttpProblem} `unsupported_media_type`, `too_large`, `bad_request` (cut off, or empty).
 */
export async function readFileBody(request: Request, { types, most }: FileBody): Promise<Uint8Array<ArrayBuffer>> {
  const [type = ''] = (request.headers.get('content-type') ?? '').split(';')
  if (!types.includes(type.trim().toLowerCase())) {
    throw new HttpProblem(
      'unsupported_media_type',
      `the body must be a file, with its Content-Type: ${types.join(', ')}`,
      {
        headers: { accept: types.join(', ') },
      },
    )
  }
  const bytes = await readBytes(request, most)
  if (bytes.byteLength === 0) throw badRequest('the body was refused', [{ path: '', message: 'it is empty' }])
  return bytes
}

/**
 * Reads a body, and stops at the limit, whatever length the client announces.
 *
 * @throws {HttpProblem} `too_large`, `bad_request` (cut off), `unsupported_media_type` (compressed).
 */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  requireIdentity(request)
  const reader = request.body?.getReader()
  const announced = Number(request.headers.get('content-length') ?? 0)
  const chunks: Uint8Array[] = []
  for (let bytes = 0; reader !== undefined; ) {
    if (announced > maxBytes || bytes > maxBytes) {
      await discard(reader)
      throw tooLarge(maxBytes)
    }
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw new HttpProblem('bad_request', 'the body ended before it was whole', { cause })
    })
    if (done) break
    bytes += value.byteLength
    chunks.push(value)
  }
  return new Uint8Array(Buffer.concat(chunks))
}

/** Refuses a compressed body: it would have to be unpacked before its size is known. */
function requireIdentity({ headers }: Request): void {
  const encoding = headers.get('content-encoding') ?? 'identity'
  if (/^\s*(identity)?\s*$/i.test(encoding)) return
  throw new HttpProblem('unsupported_media_type', 'the body must not be compressed: leave out Content-Encoding', {
    headers: { 'accept-encoding': 'identity' },
  })
}

/**
 * Drops the rest of a body while the client keeps sending, up to a limit: many clients look for an answer only when they have sent everything,
 * and would see a broken connection instead.
 */
async function discard(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  try {
    for (let bytes = 0; bytes < MAX_DISCARDED_BYTES; ) {
      const chunk = await Promise.race([reader.read(), sleep(PAUSE_MS, undefined, { ref: false })])
      if (chunk === undefined || chunk.done) return
      bytes += chunk.value.byteLength
    }
  } catch {
    // The client has gone.
  }
}

function parseJson(text: string): unknown {
  const { depth, repeated } = jsonShape(text)
  if (depth > MAX_DEPTH) {
    throw badRequest('the body was refused', [{ path: '', message: `it is nested more than ${MAX_DEPTH} deep` }])
  }
  const value = parsed(text)
  if (repeated.length > 0) {
    throw unprocessable(
      'the body was refused',
      repeated.map((path) => ({ path, message: 'is given twice' })),
    )
  }
  return value
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (text.trim() === '') throw badRequest('the body was refused', [{ path: '', message: 'it is empty' }])
    throw badRequest('the body was refused', [{ path: '', message: `it is not JSON (${syntaxMessage(error)})` }])
  }
}

/** Returns the parser's message without the piece of the body that it quotes. */
function syntaxMessage(error: unknown): string {
  const message = error instanceof Error ? error.message : ''
  return /at position \d+/.exec(message)?.[0] ?? 'it ends too early or holds something else'
}

function tooLarge(maxBytes: number): HttpProblem {
  return new HttpProblem('too_large', `the body is larger than ${maxBytes / 1024} KiB`, {
    headers: { connection: 'close' },
  })
}
