import { lstatSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The Unix sockets of an engine, in a folder that only its user may enter. */
export interface SocketFolder {
  readonly folder: string
  /** The socket of DynamoDB's API. */
  readonly api: string
  /** The socket that holders stay connected to. */
  readonly hold: string
}

/** Names the sockets in a folder. */
export function socketsIn(folder: string): SocketFolder {
  return { folder, api: join(folder, 'api.sock'), hold: join(folder, 'hold.sock') }
}

/**
 * Opens a folder for sockets that no other user can enter; the previous one if it is still ours, so that clients find their engine again. It is
 * among the system's temporary files, since a socket's path has at most 107 bytes and not every disk takes sockets.
 */
export function openSocketFolder(previous: string | undefined): SocketFolder {
  const folder = previous !== undefined && makeOurs(previous) ? previous : mkdtempSync(join(tmpdir(), 'lapidary-'))
  const sockets = socketsIn(folder)
  for (const file of [sockets.api, sockets.hold]) rmSync(file, { force: true })
  return sockets
}

function makeOurs(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false
    const found = lstatSync(folder)
    return found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0
  }
}
