import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeDataFolder } from 'lapidary-engine'

/**
 * Returns a random secret that stays the same from start to start, in a file that only its owner can read.
 *
 * The file appears whole or not at all, and of several processes that start at once all get the same.
 */
export function keptSecret(folder: string, name: string): string {
  const file = join(folder, name)
  const known = read(file)
  if (known !== undefined) return known
  makeDataFolder(folder)
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`
  const secret = randomBytes(24).toString('base64url')
  writeFileSync(draft, `${secret}\n`, { mode: 0o600, flag: 'wx' })
  try {
    linkSync(draft, file)
    return secret
  } catch (error) {
    const winner = read(file)
    if (winner === undefined) throw error
    return winner
  } finally {
    rmSync(draft, { force: true })
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || undefined
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return undefined
    throw error
  }
}
