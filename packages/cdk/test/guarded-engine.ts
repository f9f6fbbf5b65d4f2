import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type Asked, allows, askedBy, type Statement } from './policy.ts'

/** An engine that a role asks: what the role does not allow is refused, as DynamoDB refuses it. */
export interface GuardedEngine extends AsyncDisposable {
  readonly endpoint: string
  /** What was refused: `UpdateItem of ~DERIVED`. */
  readonly refused: string[]
  readonly asked: Asked[]
}

/** Starts a proxy on the loopback interface before an engine, with the rights of one role. */
export async function guardedEngine(endpoint: string, rights: readonly Statement[]): Promise<GuardedEngine> {
  const refused: string[] = []
  const asked: Asked[] = []
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request)
    const target = String(request.headers['x-amz-target'])
    const parts = askedBy(target.replace(/^.*\./, ''), JSON.parse(body || '{}'))
    asked.push(...parts)
    const [denied] = parts.filter((part) => !allows(rights, part))
    if (denied !== undefined) {
      refused.push([denied.action, ...denied.leadingKeys.map((key) => `of ${key}`)].join(' '))
      const message = `the role is not authorized to perform: dynamodb:${denied.action}`
      const __type = 'com.amazon.coral.service#AccessDeniedException'
      return void response.writeHead(400, JSON_TYPE).end(JSON.stringify({ __type, message }))
    }
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers
    const answer = await fetch(endpoint, { method: 'POST', headers: headers as Record<string, string>, body })
    response.writeHead(answer.status, JSON_TYPE).end(await answer.text())
  }
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ refused, asked },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const JSON_TYPE = { 'content-type': 'application/x-amz-json-1.0' }
