import type { Socket } from 'node:net'

/** Limits for clients after their last reply. */
export interface LingeringLimits {
  /** The most bytes of one socket that are thrown away. */
  readonly mostBytes: number
  /** Milliseconds to read that reply. */
  readonly lingerMs: number
  /** The most sockets at a time; the oldest gives way to a new one. */
  readonly mostSockets: number
}

/**
 * Sockets that have got their last reply and hold no client's place any more. A socket that is closed while its client still sends is reset, and
 * the reply may be lost; a socket that is no longer read never shows that its client is gone. So its bytes are read and thrown away for a while,
 * and then the socket is closed, whatever the client does.
 */
export class Lingering {
  readonly #sockets = new Set<Socket>()
  readonly #limits: LingeringLimits

  constructor(limits: LingeringLimits) {
    this.#limits = limits
  }

  /** Ends the output of a socket, and makes sure that it is closed. */
  add(socket: Socket): void {
    const [oldest] = this.#sockets
    if (oldest !== undefined && this.#sockets.size >= this.#limits.mostSockets) this.#cut(oldest)
    this.#sockets.add(socket)
    const timer = setTimeout(() => this.#cut(socket), this.#limits.lingerMs)
    let bytes = 0
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > this.#limits.mostBytes) this.#cut(socket)
    })
    socket.on('close', () => {
      clearTimeout(timer)
      this.#sockets.delete(socket)
    })
    socket.end()
    socket.resume()
  }

  /** Closes all of them. */
  close(): void {
    for (const socket of this.#sockets) this.#cut(socket)
  }

  #cut(socket: Socket): void {
    this.#sockets.delete(socket)
    socket.destroy()
  }
}
