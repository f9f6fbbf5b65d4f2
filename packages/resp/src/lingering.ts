import type { Socket } from 'node:net'

/** The bounds of a client's connection after its last reply. */
export interface LingeringLimits {
  /** Bytes of one socket that are thrown away. */
  readonly mostBytes: number
  /** Milliseconds to read that reply. */
  readonly lingerMs: number
  /** Sockets at a time; the oldest gives way to another one. */
  readonly mostSockets: number
}

/**
 * Sockets that have got their last reply and hold no client's place any more. A socket that is closed while its client still sends is
 * reset, and the reply may be lost; one that is not read any more never shows that its client is gone. So what comes is read and thrown
 * away for a while, and then the socket is closed, whatever the client does.
 */
export class Lingering {
  readonly #sockets = new Set<Socket>()
  readonly #limits: LingeringLimits

  constructor(limits: LingeringLimits) {
    this.#limits = limits
  }

  /** Says that nothing comes any more after what was written, and sees to it that the socket is closed. */
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
