import type { Place } from 'lapidary'
import { type ByteString, bytesOf, textOf } from './byte-string.ts'
import type { DiskEntry, DiskList } from './disk-list.ts'

/**
 * How a place stands in a list whose members are distinct. Ids are, so a member is its own; only where another score has it already,
 * the score's bytes are behind it. No member holds a NUL.
 */
const MARK = '\u0000\u0000'
const SCORE_BYTES = 8

/** A place as an entry whose member no other place has. */
export function uniqueEntry(place: Place): DiskEntry {
  const { score, member } = plainEntry(place)
  const bytes = Buffer.alloc(SCORE_BYTES)
  bytes.writeDoubleBE(score)
  return { score, member: `${member}${MARK}${bytes.toString('latin1')}` }
}

/** The score that a member of a {@link uniqueEntry} says itself. */
export function scoreWithin(member: ByteString): number | undefined {
  const at = member.indexOf(MARK)
  return at < 0 ? undefined : Buffer.from(member.slice(at + MARK.length), 'latin1').readDoubleBE()
}

/** The entry of a place, when the list has it. */
export function entryAt(list: DiskList, place: Place): DiskEntry | undefined {
  const { score, member } = plainEntry(place)
  const rank = list.rank(score, member)
  if (rank >= list.count) return undefined
  // Nothing sorts between a member and itself with a mark.
  const found = list.at(rank)
  return found.score === score && plainMember(found.member) === member ? found : undefined
}

/** The entry that a place which the list does not have gets. */
export function entryFor(list: DiskList, place: Place): DiskEntry {
  const plain = plainEntry(place)
  return list.score(plain.member) === undefined ? plain : uniqueEntry(place)
}

export function placeOfEntry({ score, member }: DiskEntry): Place {
  return { score, member: textOf(plainMember(member)) }
}

/** How many entries come before a place. */
export function rankOfPlace(list: DiskList, place: Place): number {
  const { score, member } = plainEntry(place)
  const at = member.indexOf('\u0000')
  // A place with a NUL is a bound behind a member, in whichever form that is there.
  return list.rank(score, at < 0 ? member : `${member.slice(0, at)}\u0000\u00ff`)
}

/** Zero has two doubles, which are one place. */
function plainEntry({ score, member }: Place): DiskEntry {
  return { score: score + 0, member: bytesOf(member) }
}

function plainMember(member: ByteString): ByteString {
  const at = member.indexOf(MARK)
  return at < 0 ? member : member.slice(0, at)
}
