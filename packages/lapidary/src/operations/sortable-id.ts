const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/**
 * Makes an id that sorts by time: 10 digits of milliseconds and 16 of chance in Crockford's base 32, as a ULID.
 *
 * @param random Gives numbers from 0 to 1; 16 are taken.
 * @example
 * ```ts run
 * const id = sortableId(Date.now(), Math.random) // 01JXB0QR1RYGA95JZ7Q6PCGGGV
 * ```
 */
export function sortableId(milliseconds: number, random: () => number): string {
  let time = ''
  for (let left = Math.max(0, milliseconds), i = 0; i < 10; i++, left = Math.floor(left / 32))
    time = DIGITS[left % 32] + time
  let chance = ''
  for (let i = 0; i < 16; i++) chance += DIGITS[Math.floor(random() * 32)]
  return time + chance
}
