import { type ByteString, bytesOf, textOf } from './byte-string.ts'

/** The use of a list on disk: entries of a list of a group (e), names of a group's lists (c), places that changes told of (t), marks (m), state (s). */
type Kind = 'e' | 'c' | 't' | 'm' | 's'

/** The names under which the lists of one collection stand beside those of others. */
export interface ListNames {
  /** The state, and when the newest change was made that is in. */
  readonly state: ByteString
  /** The last change of each shard that is in. */
  readonly marks: ByteString
  entries(generation: number, group: string, cell: string): ByteString
  /** The lists of a group that have entries. */
  cells(generation: number, group: string): ByteString
  /** Places that changes told of while the lists are filled: of those the scan is not right. */
  told(generation: number, group: string): ByteString
  /** The group of which a list says what lists it has; undefined for any other, and for another generation. */
  groupOf(list: ByteString, generation: number): string | undefined
  /** Whether a list is to go: of another generation than this one, or of a filling that is done. */
  isLeft(list: ByteString, generation: number): boolean
}

const SEPARATOR = '\u0000'

/** No part of a name holds a NUL. */
export function listNames(namespace: string): ListNames {
  const nameOf = (kind: Kind, ...parts: readonly (string | number)[]): ByteString =>
    bytesOf([namespace, kind, ...parts].join(SEPARATOR))
  return {
    state: nameOf('s'),
    marks: nameOf('m'),
    entries: (generation, group, cell) => nameOf('e', generation, group, cell),
    cells: (generation, group) => nameOf('c', generation, group),
    told: (generation, group) => nameOf('t', generation, group),
    groupOf(list, generation) {
      const [own, kind, of, group] = textOf(list).split(SEPARATOR)
      return own === namespace && kind === 'c' && Number(of) === generation ? group : undefined
    },
    isLeft(list, generation) {
      const [own, kind, of] = textOf(list).split(SEPARATOR)
      if (own !== namespace || of === undefined) return false
      return Number(of) !== generation || kind === 't'
    },
  }
}
