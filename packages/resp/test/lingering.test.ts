import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { Lingering } from '../src/lingering.ts'

const open: Socket[] = []
afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy()
})

test('of more sockets than may linger the oldest is closed', async () => {
  const lingering = new Lingering({ mostBytes: 1_000, lingerMs: 600_000, mostSockets: 2 })
  const served: Socket[] = []
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    served.push(socket)
    lingering.add(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  for (let i = 0; i < 4; i++) {
    const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    open.push(client)
    client.on('error', () => {}).resume()
    await once(client, 'end')
  }
  expect(served.map(({ destroyed }) => destroyed)).toEqual([true, true, false, false])
  // A client that closes makes room, and one that sends too much is closed.
  open[2]?.end()
  await expect.poll(() => served[2]?.destroyed).toBe(true)
  expect(served[3]?.destroyed).toBe(false)
  open[3]?.write('x'.repeat(2_000))
  await expect.poll(() => served[3]?.destroyed).toBe(true)
  await new Promise((resolve) => server.close(resolve))
})
