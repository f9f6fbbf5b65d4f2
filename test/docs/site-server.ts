import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
}

/** A server of static files on loopback. */
export interface SiteServer {
  readonly address: string
  close(): Promise<void>
}

/** Serves a folder as a host of static files does: a folder is its index.html, and what is not there is 404.html. */
export async function serveSite(folder: string): Promise<SiteServer> {
  const server = createServer(async ({ url = '/' }, response) => {
    const path = normalize(decodeURIComponent(new URL(url, 'http://site').pathname))
    const file = path.endsWith('/') ? `${path}index.html` : path
    const content = await readFile(join(folder, file)).catch(() => undefined)
    response.writeHead(content === undefined ? 404 : 200, { 'content-type': TYPES[extname(file)] ?? 'text/html' })
    response.end(content ?? (await readFile(join(folder, '404.html'))))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
