import { randomUUID } from 'node:crypto'
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { HttpProblem, toProblem } from './problem.ts'
import type { HttpCode } from './problem-codes.ts'
import { SECURITY_HEADERS } from './security-headers.ts'

const CODES: Readonly<Record<string, readonly [HttpCode, string]>> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'path, query and headers have more than 16 KiB together'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'the request did not arrive in time'],
}

/** Answers what is not HTTP, or too slow or too long to be read, on the bare connection, and closes it. */
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

/** Answers what is HTTP but has no usable address: a bad Host header, a backslash in the path. */
export function answerUnroutable(error: unknown): Response {
  const isAddress = error instanceof Error && error.name === 'RequestError'
  const problem = isAddress
    ? new HttpProblem('bad_request', 'the address of the request can’t be used')
    : toProblem(error)
  return bareAnswer(problem)
}

/** Answers a request of HTTP/1.1 that does not say for which host it is; 1.0 knows no Host (RFC 9112, 3.2). */
export function answerHostless(response: ServerResponse): void {
  const problem = new HttpProblem('bad_request', 'the request has no Host header, which HTTP/1.1 requires')
  void bareAnswer(problem)
    .text()
    .then((body) => {
      const headers = { ...SECURITY_HEADERS, 'content-type': 'application/problem+json', connection: 'close' }
      response.writeHead(problem.status, headers).end(body)
    })
}

/** A problem outside of the application, whose middleware gives the headers otherwise. */
function bareAnswer(problem: HttpProblem): Response {
  const response = problem.toResponse(`urn:uuid:${randomUUID()}`)
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.headers.set(name, value)
  return response
}
