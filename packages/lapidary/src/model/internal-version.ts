/**
 * Every change of an item raises its internal version, whatever version the declaration of the process that makes it has: while a declared
 * version is added or taken away, processes with and without it see each other's changes by this one.
 *
 * Its last three digits are those of the declared version where the last writer counts that version. Any other process raises only the internal
 * version, so that it is ahead.
 */
const DIGITS = 1000
/** Where items begin by chance, in thousands: all of 16 digits, so that each takes as many bytes, and up to half of the safe integers, which leaves 4.5e12 changes. */
const BY_CHANCE = { least: 1e12, many: 3.5e12 } as const

/** Returns the internal version of a change; `declared` is the declared version that goes with it, if any. */
export function nextInternal(last: number | undefined, declared: unknown): number {
  const next = (last ?? 0) + 1
  return isCount(declared) ? next + modulo(declared - next) : next
}

/**
 * Returns the internal version of a change that leaves the declared version as it is: other writers see the change by it, and its last digits,
 * by which they tell changes that the declared version lacks, stay.
 */
export function nextBeside(last: number | undefined, declared: unknown): number {
  return last === undefined ? nextInternal(last, declared) : last + DIGITS
}

/**
 * Returns the internal version at which an item begins that may have been here before: what it was then is not known here. It is chosen by chance,
 * since no clock is ahead of it for certain: changes can raise a version faster than a clock runs, and the clocks of two processes differ. A write
 * that was planned of the item as it was, and is late, is refused, since it asks for the version that it read. It would have to meet the same number
 * again, one of 3.5e12 with the same last digits, whose chance is that for each change that the item has had since.
 *
 * @param random Gives numbers from 0 to 1, without 1; one is taken.
 */
export function internalByChance(random: () => number, declared: unknown): number {
  return nextInternal((BY_CHANCE.least + Math.floor(random() * BY_CHANCE.many)) * DIGITS, declared)
}

/** Returns the declared version of a change. For an item that lacks it, it goes on from the last digits of the internal one. */
export function nextDeclared(last: number | undefined, declared: unknown): number {
  return Number(declared ?? (last ?? 0) % DIGITS) + 1
}

/** Counts the changes of other processes that the declared version lacks; it lacks none where the others count it too. */
export function uncountedChanges(internal: number | undefined, declared: unknown): number {
  if (internal === undefined || !isCount(declared)) return 0
  const ahead = modulo(internal - declared)
  return ahead < DIGITS / 2 ? ahead : 0
}

function isCount(version: unknown): version is number {
  return Number.isSafeInteger(version)
}

function modulo(difference: number): number {
  return ((difference % DIGITS) + DIGITS) % DIGITS
}
