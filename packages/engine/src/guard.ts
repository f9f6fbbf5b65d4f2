import { connect, createServer, type Server, type Socket } from 'node:net'

/** The address on which dynoxide listens. */
export interface Address {
  readonly host: string
  readonly port: number
}

/**
 * Makes the way in to dynoxide, which itself lets in everything: a server for a Unix socket, whose file's rights decide who may connect. It
 * passes bytes on unchanged. A connection waits while the database starts.
 */
export function createGuard(database: () => Promise<Address>): Server {
  return createServer({ pauseOnConnect: true }, (client) => {
    client.on('error', () => {})
    database().then(
      (address) => join(client, connect({ ...address, noDelay: true })),
      () => client.destroy(),
    )
  })
}

function join(client: Socket, upstream: Socket): void {
  upstream.on('error', () => {}).on('close', () => client.destroy())
  client.on('close', () => upstream.destroy())
  if (client.destroyed) upstream.destroy()
  client.pipe(upstream).pipe(client)
}
