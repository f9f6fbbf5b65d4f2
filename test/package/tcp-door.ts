import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A port on the loopback interface that leads to the socket of an engine, for clients that know no sockets. */
export interface TcpDoor extends AsyncDisposable {
  readonly endpoint: string
}

export async function openTcpDoor(engine: string): Promise<TcpDoor> {
  const path = engine.replace(/^unix:/, '')
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    const inner = connect(path)
    for (const end of [socket, inner]) {
      open.add(end)
      end.on('error', () => {}).on('close', () => open.delete(end))
    }
    socket.pipe(inner).pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
