import { connect, type Socket } from 'node:net'

/** A connection to the supervisor that keeps the engine alive, but not the process that holds it. */
export interface Hold {
  readonly enginePort: number
  readonly socket: Socket
}

const greetingMilliseconds = 2_000

/** Connects to a supervisor and waits for its greeting; undefined when it is ending, gone, or somebody else. */
export function takeHold(holdPort: number): Promise<Hold | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port: holdPort })
    let text = ''
    const giveUp = () => {
      socket.destroy()
      resolve(undefined)
    }
    socket.setEncoding('utf8').setTimeout(greetingMilliseconds, giveUp)
    socket.on('error', giveUp).on('close', giveUp)
    socket.on('data', (chunk: string) => {
      text += chunk
      if (!text.includes('\n')) return
      const enginePort = parseGreeting(text)
      if (enginePort === undefined) return giveUp()
      socket.removeAllListeners('data').removeAllListeners('close').setTimeout(0)
      socket.resume().unref()
      resolve({ enginePort, socket })
    })
  })
}

function parseGreeting(text: string): number | undefined {
  try {
    const { enginePort } = JSON.parse(text) as { enginePort?: unknown }
    return typeof enginePort === 'number' ? enginePort : undefined
  } catch {
    return undefined
  }
}
