import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { HttpProblem, toProblem } from './problem.ts'
import type { HttpCode } from './problem-codes.ts'

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
  return problem.toResponse(`urn:uuid:${randomUUID()}`)
}
