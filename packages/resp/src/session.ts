import type { RespCommand } from './command.ts'
import { failure, type ProtocolVersion, type Reply } from './reply.ts'
import type { Transaction } from './transaction.ts'
import type { Watch } from './watched-lists.ts'

/** The state of one connection. */
export interface Session {
  readonly id: number
  /** `host:port` of the client, and of the server. */
  readonly address: string
  readonly localAddress: string
  readonly connectedAt: number
  /** The time when its last bytes came. */
  activeAt: number
  isAuthenticated: boolean
  version: ProtocolVersion
  name: string
  library: { name: string; version: string }
  /** Set by CLIENT REPLY: `skip` for the reply of that command itself, and `skip next` for the one after it. */
  replies: 'on' | 'off' | 'skip next' | 'skip'
  isTouching: boolean
  lastCommand: RespCommand | undefined
  /** The commands queued since MULTI. */
  transaction: Transaction | undefined
  watch: Watch | undefined
  /** Whether the client waits for a list: its other commands wait too. */
  isWaiting: boolean
  /** Whether the client sends no more: then it does not wait for anything. */
  isSaid: boolean
  /** Set by QUIT: the connection ends once its replies are written. */
  isEnding: boolean
  /** Ends a wait with a reply. */
  wake(reply: Reply): void
  /** Cuts the connection off. */
  cut(): void
}

/** Forgets everything that a client has set, as RESET does, but not who it is. */
export function resetSession(session: Session): void {
  session.version = 2
  session.name = ''
  session.replies = 'on'
  session.isTouching = true
}

/** Makes the state of a new connection. */
export function newSession(
  given: Pick<Session, 'id' | 'address' | 'localAddress' | 'isAuthenticated' | 'wake' | 'cut'>,
): Session {
  const now = Date.now()
  return {
    ...given,
    connectedAt: now,
    activeAt: now,
    version: 2,
    name: '',
    library: { name: '', version: '' },
    replies: 'on',
    isTouching: true,
    lastCommand: undefined,
    transaction: undefined,
    watch: undefined,
    isWaiting: false,
    isSaid: false,
    isEnding: false,
  }
}

/** @throws {ReplyError} when a text can't be shown in one line of CLIENT LIST. */
export function requireName(name: string, what = 'Client names'): string {
  if (/[^!-~]/.test(name)) throw failure(`${what} cannot contain spaces, newlines or special characters.`)
  return name
}
