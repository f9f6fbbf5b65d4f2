import { LapidaryError } from 'lapidary'
import type { DiskChange } from '../file/change.ts'
import type { Fence, Hint } from './fenced-list.ts'

/** An object that a manifest names. */
export interface NamedObject {
  readonly key: string
  readonly bytes: number
}

/** The manifest names everything there is: to swap it is to swap everything, and one swap never takes back another. */
export interface Manifest {
  readonly version: 1
  /** The number of the base file. */
  readonly generation: number
  readonly base: NamedObject
  readonly fences: NamedObject
  /** Changes since the base file, oldest first. */
  readonly logs: readonly NamedObject[]
  /** So many logs are being merged: nothing is added to them. */
  readonly sealed: number
}

/** A change as a log has it. Its hint is undefined where the log was written on top of another base file. */
export interface ReadChange {
  readonly change: DiskChange
  readonly hint: Hint | undefined
}

/** A change, and what the base file has of it: never a guess, since readers go by it. */
export interface LoggedChange extends ReadChange {
  readonly hint: Hint
}

/** The hint of an entry that is not in the base file, and of a list that is dropped, for which it says nothing. */
export const NOT_IN_BASE: Hint = { rank: 0, isThere: false }

type Logged =
  | readonly ['set', list: string, member: string, score: number, rank: number, isThere: 0 | 1]
  | readonly ['remove', list: string, member: string, rank: number, isThere: 0 | 1]
  | readonly ['drop', list: string]

const VERSION = 1

export function manifestText(manifest: Omit<Manifest, 'version'>): Buffer {
  return Buffer.from(JSON.stringify({ version: VERSION, ...manifest }))
}

/** @throws `page_index_damaged`. */
export function parseManifest(key: string, bytes: Buffer): Manifest {
  return parsed<Manifest>(key, bytes, ({ version, logs }) => version === VERSION && Array.isArray(logs))
}

/** The changes of a log, and the base file that its hints are of. */
export function logText(base: string, changes: readonly LoggedChange[]): Buffer {
  return Buffer.from(JSON.stringify({ base, changes: changes.map(loggedOf) }))
}

/** @throws `page_index_damaged`. */
export function parseLog(key: string, bytes: Buffer, base: string): readonly ReadChange[] {
  const log = parsed<{ readonly base: string; readonly changes: readonly Logged[] }>(key, bytes, ({ changes }) =>
    Array.isArray(changes),
  )
  return log.changes.map((logged) => changeOf(logged, log.base === base))
}

export function fencesText(fences: readonly Fence[]): Buffer {
  return Buffer.from(JSON.stringify(fences))
}

/** @throws `page_index_damaged`. */
export function parseFences(key: string, bytes: Buffer): readonly Fence[] {
  return parsed<readonly Fence[]>(key, bytes, Array.isArray)
}

function loggedOf({ change, hint }: LoggedChange): Logged {
  if (change.type === 'drop') return ['drop', change.list]
  const isThere = hint.isThere ? 1 : 0
  if (change.type === 'remove') return ['remove', change.list, change.member, hint.rank, isThere]
  return ['set', change.list, change.member, change.score, hint.rank, isThere]
}

function changeOf(logged: Logged, isOfBase: boolean): ReadChange {
  const [type, list] = logged
  if (type === 'drop') return { change: { type, list }, hint: NOT_IN_BASE }
  const [rank, isThere] = type === 'set' ? [logged[4], logged[5]] : [logged[3], logged[4]]
  const hint = isOfBase ? { rank, isThere: isThere === 1 } : undefined
  const [, , member] = logged
  return { change: type === 'set' ? { type, list, member, score: logged[3] } : { type, list, member }, hint }
}

function parsed<T>(key: string, bytes: Buffer, isSound: (value: T) => boolean): T {
  try {
    const value = JSON.parse(bytes.toString()) as T
    if (isSound(value)) return value
  } catch {
    // The same as something else.
  }
  throw new LapidaryError(
    'page_index_damaged',
    `the page index object ${key} is damaged: it is not as it was written; rebuild the page index`,
    { details: { key } },
  )
}
