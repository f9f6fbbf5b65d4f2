import { connect, type Socket } from 'node:net'

const greetingMilliseconds = 10_000

/** The greeting of a supervisor to a holder that it has counted. */
export const GREETING = 'held\n'

/**
 * Connects to a supervisor, which keeps the engine alive for as long as the connection lasts; the connection does not keep
 * this process alive. Undefined when the supervisor is ending or gone.
 */
export function takeHold(path: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ path })
    const giveUp = () => {
      socket.destroy()
      resolve(undefined)
    }
    socket.setTimeout(greetingMilliseconds, giveUp).on('error', giveUp).on('close', giveUp)
    socket.once('data', () => {
      socket.removeAllListeners('close').setTimeout(0)
      socket.resume().unref()
      resolve(socket)
    })
  })
}
