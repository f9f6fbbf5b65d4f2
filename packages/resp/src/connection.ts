import type { Socket } from 'node:net'
import { LapidaryError } from 'lapidary-pages/file'
import type { CommandContext, ServerState } from './command.ts'
import { executeCommand } from './execute.ts'
import { NONE, type Reply, writeReply } from './reply.ts'
import { ReplyBuffer } from './reply-buffer.ts'
import { storeFailure, writeWholeReply } from './reply-failure.ts'
import { ProtocolError, type RequestLimits, RequestParser } from './request-parser.ts'
import { newSession, type Session } from './session.ts'
import { unwatch } from './transaction.ts'
import type { Turns } from './turns.ts'

/** The bytes of waiting replies from which no more commands run: a client that does not read makes no other wait, and memory does not grow. */
const MOST_WAITING = 1_000_000
/** The same before a password was given: thousands of strangers may come. */
const MOST_WAITING_OF_STRANGER = 16_384
/** The bytes of changes that may wait for the disk before all clients wait: memory only has to hold little. */
const MOST_UNSYNCED = 2 ** 20
/** Milliseconds for which the commands of one client run while others wait. */
const TURN_MS = 5
/** Milliseconds for which the client of an ending connection may read nothing of what it asked for. */
const PATIENCE_MS = 30_000

/** The parts of the server that a connection needs. */
export interface ConnectionHost {
  readonly state: ServerState
  readonly limits: RequestLimits
  /** Milliseconds that a client may take to give a password. */
  readonly loginMs: number
  readonly turns: Turns
  /** Called with defects. */
  readonly onDefect: (error: unknown) => void
  /** Takes over the socket of a connection that has written its last reply. */
  readonly onLeave: (connection: Connection) => void
}

/** One client: its bytes in, its replies out, in order. */
export class Connection {
  readonly socket: Socket
  readonly #host: ConnectionHost
  readonly #context: CommandContext
  readonly #parser: RequestParser
  readonly #session: Session
  readonly #out = new ReplyBuffer()
  /** The bytes that came while the client waited for a list. */
  #held: Buffer[] = []
  #heldBytes = 0
  /** The number of replies in `#out`, and the bytes of all that are not written. */
  #replies = 0
  #replyBytes = 0
  /** Whether replies are being written, and later ones have to wait. */
  #isWriting = false
  /** Whether so much waits that no command runs until it is written. */
  #isFull = false
  /** Whether other clients come first, because its commands have taken long. */
  #isInLine = false
  /** Whether its commands took long when they last ran. */
  #isSlow = false
  /** Whether the client sends no more; what it sent may still have to run. */
  #isSaid = false
  /** Whether everything that the client sends is ignored from now on. */
  #isEnding = false
  #isStopping = false

  constructor(socket: Socket, id: number, host: ConnectionHost) {
    const { state, limits } = host
    const isAuthenticated = state.isPassword === undefined
    this.#session = newSession({
      id,
      address: `${socket.remoteAddress}:${socket.remotePort}`,
      localAddress: `${socket.localAddress}:${socket.localPort}`,
      isAuthenticated,
      wake: (reply) => this.#wake(reply),
      cut: () => socket.destroy(),
    })
    const { lists, mostReplyBytes } = state
    this.#context = { lists, server: state, session: this.#session, mostReplyBytes, mayWait: true }
    state.sessions.set(id, this.#session)
    this.socket = socket
    this.#host = host
    this.#parser = new RequestParser(limits)
    socket.on('data', (chunk: Buffer) => {
      if (this.#isEnding) return
      this.#session.activeAt = Date.now()
      if (this.#session.isWaiting) {
        this.#hold(chunk)
        return
      }
      this.#parser.push(chunk)
      if (this.#isSlow) this.#waitInLine()
      else this.#run()
    })
    // A client that sends no more still gets its replies.
    socket.on('end', () => {
      this.#say()
      this.#run()
    })
    socket.on('close', () => {
      state.sessions.delete(id)
      state.waiting.end(this.#session)
      unwatch(this.#context)
    })
    if (isAuthenticated) return
    const deadline = setTimeout(() => {
      if (this.isStranger) this.refuse(`NOAUTH no password came within ${host.loginMs / 1000} seconds`)
    }, host.loginMs)
    socket.on('close', () => clearTimeout(deadline))
  }

  /** Whether the client has given no password, though there is one. */
  get isStranger(): boolean {
    return !this.#session.isAuthenticated
  }

  /** Sends the reason, and ends the connection. */
  refuse(text: string): void {
    if (this.#isWriting) this.socket.destroy()
    else {
      this.socket.write(`-${text}\r\n`)
      this.#leave()
    }
  }

  /** Takes no more commands; resolves when those that came have run and their replies are written. */
  async stop(): Promise<void> {
    this.#isStopping = true
    const closed = new Promise<void>((resolve) => void this.socket.once('close', () => resolve()))
    this.socket.pause()
    this.#say()
    this.#run()
    if (!this.socket.closed) await closed
  }

  /** Notes that no more commands come. */
  #say(): void {
    this.#isSaid = true
    this.#session.isSaid = true
    this.#host.state.waiting.end(this.#session)
    this.#hurry()
  }

  /** Drops a client that ends and does not read. */
  #hurry(): void {
    this.socket.setTimeout(PATIENCE_MS, () => this.socket.destroy())
  }

  /** Keeps what a client sends while it waits; a client that sends more than one command may have is cut off. */
  #hold(chunk: Buffer): void {
    this.#held.push(chunk)
    this.#heldBytes += chunk.length
    if (this.#heldBytes > this.#host.limits.requestBytes) this.socket.destroy()
  }

  /** Goes on after a wait, once the command that ended it has its reply. */
  #wake(reply: Reply): void {
    this.#reply(this.#session.replies === 'on' ? reply : NONE)
    this.#parser.push(Buffer.concat(this.#held))
    this.#held = []
    this.#heldBytes = 0
    setImmediate(() => {
      if (!this.socket.destroyed) this.#run()
    })
  }

  /** Runs the commands that have come, until too much waits to be written, or other clients have to have their turn. */
  #run(): void {
    if (this.#isInLine || this.#isFull || this.#isEnding) return
    const until = performance.now() + TURN_MS
    this.#isSlow = false
    let isDone = false
    try {
      while (!this.#isEnding && !this.#isSlow && !this.#session.isWaiting) {
        this.#isFull = this.#hasToWait()
        if (this.#isFull) break
        this.#parser.isTrusted = this.#session.isAuthenticated
        const args = this.#parser.next()
        isDone = args === undefined
        if (args === undefined) break
        this.#reply(executeCommand(args, this.#context))
        this.#isEnding = this.#session.isEnding
        this.#isSlow = performance.now() >= until
      }
    } catch (error) {
      const isProtocolError = error instanceof ProtocolError
      if (!isProtocolError) this.#host.onDefect(error)
      const text = isProtocolError ? `ERR Protocol error: ${error.message}` : 'ERR internal error'
      this.#reply({ type: 'error', text })
      this.#isEnding = true
    }
    if (isDone && this.#isSaid) this.#isEnding = true
    if (this.#isEnding) this.#hurry()
    else if (this.#isSlow) this.#waitInLine()
    if (this.#isFull) this.socket.pause()
    if (this.#replies > 0 || this.#isFull) void this.#write()
    else if (this.#isEnding && !this.#isWriting) this.#leave()
  }

  #hasToWait(): boolean {
    const most = this.isStranger ? MOST_WAITING_OF_STRANGER : MOST_WAITING
    return this.#replyBytes >= most || this.#context.lists.unsyncedBytes >= MOST_UNSYNCED
  }

  /** Goes on when all clients that are in line before have had their turn. */
  #waitInLine(): void {
    if (this.#isInLine) return
    this.#isInLine = true
    this.socket.pause()
    this.#host.turns.wait(() => {
      this.#isInLine = false
      if (this.socket.destroyed) return
      if (!this.#isStopping && !this.#isFull) this.socket.resume()
      this.#run()
    })
  }

  #reply(reply: Reply): void {
    if (reply.type === 'none' || reply.type === 'waiting') return
    const before = this.#out.length
    // The replies of a transaction were counted as it ran.
    this.#out.limitTo(reply.type === 'written' ? Number.POSITIVE_INFINITY : this.#host.state.mostReplyBytes)
    writeWholeReply(this.#out, reply, this.#session.version)
    this.#replies++
    this.#replyBytes += this.#out.length - before
  }

  /** Writes replies once the changes that they confirm are durable, then those that came meanwhile. */
  async #write(): Promise<void> {
    if (this.#isWriting) return
    this.#isWriting = true
    do {
      const durable = this.#context.lists.durable()
      const replies = this.#replies
      let bytes = this.#out.take()
      this.#replies = 0
      try {
        if (durable !== undefined) await durable
      } catch (error) {
        // The changes that these replies confirm were taken back.
        if (!(error instanceof LapidaryError)) throw error
        bytes = this.#refusals(error, replies)
      }
      const isSent = bytes.length === 0 || this.socket.write(bytes)
      // As a rule the system has all of it already.
      if (this.socket.writableLength === 0) ReplyBuffer.giveBack(bytes)
      if (!isSent && !this.socket.destroyed) await this.#drained()
    } while (this.#replies > 0 && !this.socket.destroyed)
    this.#isWriting = false
    this.#replyBytes = 0
    // The replies to a client that is gone are dropped: they would wait here for ever.
    if (this.socket.destroyed) return
    if (this.#isEnding) this.#leave()
    else if (this.#isFull) {
      this.#isFull = false
      this.#waitInLine()
    }
  }

  /** Writes as many refusals as there were replies. */
  #refusals(error: LapidaryError, replies: number): Buffer {
    const refusals = new ReplyBuffer()
    for (let i = 0; i < replies; i++) writeReply(refusals, storeFailure(error), this.#session.version)
    return refusals.take()
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.socket.off('drain', done).off('close', done)
        resolve()
      }
      this.socket.on('drain', done).on('close', done)
    })
  }

  #leave(): void {
    this.#isEnding = true
    this.#host.onLeave(this)
  }
}
