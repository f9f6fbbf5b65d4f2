import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** A reply as it was on the wire: its kind, and what it holds. */
export type RawReply = readonly [kind: string, value: string | readonly RawReply[] | null]

/** A client that sends anything, and shows replies as they come. */
export interface RawClient {
  readonly socket: Socket
  send(args: readonly string[]): Promise<RawReply>
  /** Sends several commands at once, and returns their replies in order. */
  pipeline(commands: readonly (readonly string[])[]): Promise<readonly RawReply[]>
  /** Sends bytes as they are. */
  write(bytes: string): void
  next(): Promise<RawReply>
  /** Tells whether `next` has what it waits for. */
  hasReply(): boolean
  /** Returns everything until the server ends the connection. */
  rest(): Promise<string>
  close(): void
}

export async function openRawClient(port: number): Promise<RawClient> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.setNoDelay(true)
  let received = ''
  let hasEnded = false
  let wake = (): void => {}
  socket.setEncoding('latin1')
  socket.on('data', (text: string) => {
    received += text
    wake()
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    hasEnded = true
    wake()
  })
  const more = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve
    })
  const next = async (): Promise<RawReply> => {
    for (;;) {
      const read = readReply(received, 0)
      if (read !== undefined) {
        received = received.slice(read.end)
        return read.reply
      }
      if (hasEnded) throw new Error(`the connection ended after ${JSON.stringify(received)}`)
      await more()
    }
  }
  const write = (bytes: string): void => void socket.write(bytes, 'latin1')
  return {
    socket,
    write,
    next,
    hasReply: () => readReply(received, 0) !== undefined,
    async send(args) {
      write(request(args))
      return await next()
    },
    async pipeline(commands) {
      write(commands.map(request).join(''))
      const replies: RawReply[] = []
      for (const _ of commands) replies.push(await next())
      return replies
    },
    async rest() {
      while (!hasEnded) await more()
      return received
    },
    close: () => socket.destroy(),
  }
}

export function request(args: readonly string[]): string {
  return `*${args.length}\r\n${args.map((argument) => `$${argument.length}\r\n${argument}\r\n`).join('')}`
}

function readReply(text: string, at: number): { readonly reply: RawReply; readonly end: number } | undefined {
  const lineEnd = text.indexOf('\r\n', at)
  if (lineEnd < 0) return undefined
  const kind = text[at] ?? ''
  const line = text.slice(at + 1, lineEnd)
  let end = lineEnd + 2
  if (kind === '$' || kind === '=') {
    const length = Number(line)
    if (length < 0) return { reply: [kind, null], end }
    if (text.length < end + length + 2) return undefined
    return { reply: [kind, text.slice(end, end + length)], end: end + length + 2 }
  }
  if (!'*%~'.includes(kind)) return { reply: [kind, line], end }
  const length = Number(line) * (kind === '%' ? 2 : 1)
  if (length < 0) return { reply: [kind, null], end }
  const items: RawReply[] = []
  for (let i = 0; i < length; i++) {
    const item = readReply(text, end)
    if (item === undefined) return undefined
    items.push(item.reply)
    end = item.end
  }
  return { reply: [kind, items], end }
}
