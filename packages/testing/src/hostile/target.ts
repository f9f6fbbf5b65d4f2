import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'

/** The request of a client that a command came with: the database may look at its headers. */
export interface Caller {
  readonly api: string
  readonly headers: IncomingHttpHeaders
}

/** The database behind a proxy. */
export interface Target {
  /** Sends a command to one of its APIs, with the headers of a caller. */
  readonly send: (command: object, caller: Caller) => Promise<unknown>
  close(): void
}

/** An answer of the database that is no success. */
export class Refusal extends Error {
  override readonly name: string
  readonly status: number
  readonly body: string

  constructor(status: number, body: string) {
    const { __type = '', message = '', Message = message } = parsed(body)
    super(Message)
    this.name = __type.replace(/^.*#/, '')
    this.status = status
    this.body = body
  }
}

/** Makes a sender of commands as HTTP requests; what a client encoded is passed on as it came. */
export function openTarget(endpoint: string): Target {
  const { protocol, hostname, port, pathname } = new URL(endpoint)
  if (protocol !== 'http:' && protocol !== 'unix:') {
    throw new TypeError(
      `the target ${endpoint} is not an address like http://127.0.0.1:8000: a proxy is no place for signed requests to AWS`,
    )
  }
  const agent = new Agent({ keepAlive: true, maxSockets: 128 })
  const address = protocol === 'unix:' ? { socketPath: pathname } : { hostname: hostname.replace(/^\[|\]$/g, ''), port }
  return {
    async send(command, { api, headers }) {
      const {
        host: _,
        connection: __,
        'transfer-encoding': ___,
        expect: ____,
        'accept-encoding': _____,
        ...passed
      } = headers
      const body = Buffer.from(JSON.stringify((command as { readonly input: object }).input))
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        const own = { 'x-amz-target': `${api}.${operationOf(command)}`, 'content-length': body.length }
        const sent = request({ ...address, agent, method: 'POST', path: '/', headers: { ...passed, ...own } }, resolve)
        sent.once('error', reject)
        sent.end(body)
      })
      const { statusCode = 0 } = answer
      const answered = await text(answer)
      if (statusCode !== 200) throw new Refusal(statusCode, answered)
      return JSON.parse(answered || '{}')
    },
    close: () => agent.destroy(),
  }
}

/** Returns the name of a command's operation: `PutItem`. */
export function operationOf(command: object): string {
  return (command as Partial<PlainCommand>).operation ?? command.constructor.name.replace(/Command$/, '')
}

/** A command of an operation that this version of the SDK does not know, or of the change stream. */
export class PlainCommand {
  readonly operation: string
  readonly input: object

  constructor(operation: string, input: object) {
    this.operation = operation
    this.input = input
  }
}

function parsed(body: string): { readonly __type?: string; readonly message?: string; readonly Message?: string } {
  try {
    return JSON.parse(body)
  } catch {
    return {}
  }
}
