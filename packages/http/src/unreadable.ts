import { randomUUID } from 'node:crypto'
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { badRequest, HttpProblem, toProblem } from './problem.ts'
import type { HttpCode } from './problem-codes.ts'
import { SECURITY_HEADERS } from './security-headers.ts'

const CODES: Readonly<Record<string, readonly [HttpCode, string]>> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'path, query and headers have more than 16 KiB together'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'the request did not arrive in time'],
}

/** Answers bytes that are no HTTP, or too slow or too long to read, on the bare connection, and closes it. */
export function answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [code, detail] = CODES[error.code ?? ''] ?? (['bad_request', 'the request is not well-formed HTTP'] as const)
  const problem = new HttpProblem(code, detail)
  const response = problem.toResponse(`urn:uuid:${randomUUID()}`)
  void response.text().then((body) => {
    const lines = [
      `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
      'content-type: application/problem+json',
      ...Object.entries(SECURITY_HEADERS).map(([name, value]) => `${name.toLowerCase()}: ${value}`),
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
    ]
    socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`)
  })
}

/** Answers a request that is HTTP but has no usable address: a bad Host header, a backslash in the path. */
export function answerUnroutable(error: unknown): Response {
  const isAddress = error instanceof Error && error.name === 'RequestError'
  const problem = isAddress
    ? new HttpProblem('bad_request', 'the address of the request can’t be used')
    : toProblem(error)
  return bareAnswer(problem)
}

/** Headers with one value each (RFC 9110, 5.3): of two values, a proxy may go by the one and this server by the other. */
const SINGLE = ['host', 'authorization', 'content-type', 'idempotency-key']

/**
 * Says what is wrong with the headers of a request, before any code goes by them; undefined when they are good. A request of HTTP/1.1 names its
 * host, once; 1.0 knows no Host (RFC 9112, 3.2).
 */
export function headerProblem({ headers, rawHeaders, httpVersion }: IncomingMessage): HttpProblem | undefined {
  if (headers.host === undefined && httpVersion !== '1.0')
    return new HttpProblem('bad_request', 'the request has no Host header, which HTTP/1.1 requires')
  const names = rawHeaders.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase())
  const twice = SINGLE.filter((name) => names.indexOf(name) !== names.lastIndexOf(name))
  if (twice.length === 0) return undefined
  const errors = twice.map((path) => ({ path, message: 'is given twice; send it once' }))
  return badRequest('the headers were refused', errors)
}

/** Answers a request that the application must not see. */
export function answerProblem(problem: HttpProblem, response: ServerResponse): void {
  void bareAnswer(problem)
    .text()
    .then((body) => {
      const headers = { ...SECURITY_HEADERS, 'content-type': 'application/problem+json', connection: 'close' }
      response.writeHead(problem.status, headers).end(body)
    })
}

/** Makes an answer outside of the application, whose middleware sets the headers otherwise. */
function bareAnswer(problem: HttpProblem): Response {
  const response = problem.toResponse(`urn:uuid:${randomUUID()}`)
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.headers.set(name, value)
  return response
}
