import type { Socket } from 'node:net'
import { LapidaryError } from 'lapidary/page-index/file'
import type { CommandContext, ServerState } from './command.ts'
import { execute } from './execute.ts'
import { NONE, type Reply, writeReply } from './reply.ts'
import { ReplyBuffer } from './reply-buffer.ts'
import { storeFailure, writeWholeReply } from './reply-failure.ts'
import { ProtocolError, type RequestLimits, RequestParser } from './request-parser.ts'
import { newSession, type Session } from './session.ts'
import { unwatch } from './transaction.ts'

/** Replies that wait before no more commands are run: a client that does not read makes no others wait, and no memory grow. */
const MOST_WAITING = 1_000_000

/** One client: its bytes in, its replies out, in order. */
export class Connection {
  readonly #socket: Socket
  readonly #context: CommandContext
  readonly #parser: RequestParser
  readonly #session: Session
  readonly #onDefect: (error: unknown) => void
  readonly #out = new ReplyBuffer()
  /** What came while the client waited. */
  #held: Buffer[] = []
  #heldBytes = 0
  /** Replies in `#out`, and bytes of all that are not written. */
  #replies = 0
  #replyBytes = 0
  /** Whether replies are on their way out, and those after them have to wait. */
  #isWriting = false
  /** Whether the client says no more; what it said may still be to run. */
  #isSaid = false
  #isEnding = false
  #isStopping = false

  constructor(
    socket: Socket,
    server: ServerState,
    id: number,
    limits: RequestLimits,
    onDefect: (error: unknown) => void,
  ) {
    this.#session = newSession({
      id,
      address: `${socket.remoteAddress}:${socket.remotePort}`,
      localAddress: `${socket.localAddress}:${socket.localPort}`,
      isAuthenticated: server.isPassword === undefined,
      wake: (reply) => this.#wake(reply),
      cut: () => socket.destroy(),
    })
    const { mostEntries } = server
    this.#context = { lists: server.lists, server, session: this.#session, mostEntries, mayWait: true }
    server.sessions.set(id, this.#session)
    this.#socket = socket
    this.#parser = new RequestParser(limits)
    this.#onDefect = onDefect
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => {
      this.#session.activeAt = Date.now()
      if (this.#session.isWaiting) {
        this.#hold(chunk)
        return
      }
      this.#parser.push(chunk)
      this.#run()
    })
    // A client that says no more still gets its replies, but waits for nothing.
    socket.on('end', () => {
      this.#isSaid = true
      this.#session.isSaid = true
      if (server.waiting.end(this.#session)) return
      if (!this.#isWriting) this.#end()
    })
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      server.sessions.delete(id)
      server.waiting.end(this.#session)
      unwatch(this.#context)
    })
  }

  /** Takes no more commands; resolves when the replies of those that came are written. */
  async stop(): Promise<void> {
    this.#isStopping = true
    this.#session.isSaid = true
    if (this.#context.server.waiting.end(this.#session)) void this.#write()
    const closed = new Promise<void>((resolve) => void this.#socket.once('close', () => resolve()))
    this.#end()
    if (!this.#socket.closed) await closed
  }

  /** Runs what has come, until too much waits to be written. */
  #run(): void {
    try {
      while (this.#replyBytes < MOST_WAITING && !this.#isEnding && !this.#session.isWaiting) {
        this.#parser.isTrusted = this.#session.isAuthenticated
        const args = this.#parser.next()
        if (args === undefined) break
        this.#reply(execute(args, this.#context))
        if (this.#session.isEnding) this.#isEnding = true
      }
    } catch (error) {
      const isProtocolError = error instanceof ProtocolError
      if (!isProtocolError) this.#onDefect(error)
      const text = isProtocolError ? `ERR Protocol error: ${error.message}` : 'ERR internal error'
      this.#reply({ type: 'error', text })
      this.#isEnding = true
    }
    if (this.#replyBytes >= MOST_WAITING || this.#isEnding) this.#socket.pause()
    if (this.#replies > 0) void this.#write()
    else if (this.#isEnding) this.#socket.end()
  }

  /** Keeps what a client sends while it waits; a client that sends more than one command may have is cut off. */
  #hold(chunk: Buffer): void {
    this.#held.push(chunk)
    this.#heldBytes += chunk.length
    if (this.#heldBytes > this.#context.server.mostQueued.bytes) this.#socket.destroy()
  }

  /** Goes on after a wait, once the command that ended it has its reply. */
  #wake(reply: Reply): void {
    this.#reply(this.#session.replies === 'on' ? reply : NONE)
    this.#parser.push(Buffer.concat(this.#held))
    this.#held = []
    this.#heldBytes = 0
    setImmediate(() => {
      if (this.#socket.destroyed || this.#isEnding) return
      this.#run()
      if (this.#isSaid && !this.#isWriting) this.#end()
    })
  }

  #reply(reply: Reply): void {
    if (reply.type === 'none' || reply.type === 'waiting') return
    const before = this.#out.length
    writeWholeReply(this.#out, reply, this.#session.version)
    this.#replies++
    this.#replyBytes += this.#out.length - before
  }

  /** Writes replies once what they say is durable, and those that came meanwhile after them. */
  async #write(): Promise<void> {
    if (this.#isWriting) return
    this.#isWriting = true
    while (this.#replies > 0 && !this.#socket.destroyed) {
      const durable = this.#context.lists.durable()
      const replies = this.#replies
      let bytes = this.#out.take()
      this.#replies = 0
      try {
        if (durable !== undefined) await durable
      } catch (error) {
        // What these replies say was taken back.
        if (!(error instanceof LapidaryError)) throw error
        bytes = this.#refusals(error, replies)
      }
      const isSent = this.#socket.write(bytes)
      // All of it is with the system already, as a rule.
      if (this.#socket.writableLength === 0) ReplyBuffer.giveBack(bytes)
      if (!isSent) await this.#drained()
    }
    this.#isWriting = false
    const wasFull = this.#replyBytes >= MOST_WAITING
    this.#replyBytes = 0
    // What a client that is gone has said is dropped: its replies would wait here for ever.
    if (this.#socket.destroyed) return
    if (this.#isEnding) this.#socket.end()
    else if (wasFull) {
      this.#socket.resume()
      this.#run()
    }
    if (this.#isSaid && !this.#isWriting) this.#end()
  }

  /** As many refusals as there were replies. */
  #refusals(error: LapidaryError, replies: number): Buffer {
    const refusals = new ReplyBuffer()
    for (let i = 0; i < replies; i++) writeReply(refusals, storeFailure(error), this.#session.version)
    return refusals.take()
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#socket.off('drain', done).off('close', done)
        resolve()
      }
      this.#socket.on('drain', done).on('close', done)
    })
  }

  #end(): void {
    this.#isEnding = true
    if (this.#isStopping) this.#socket.pause()
    if (!this.#isWriting) this.#socket.end()
  }
}
