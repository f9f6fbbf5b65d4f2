/** A number, with a point or comma for decimals, or both where the other one parts thousands. */
const NUMBER = String.raw`[+-]?\d[\d.,\u00a0\u202f' ]*`
/** "4 of 5" in the languages of large shops; Japanese has the highest first. */
const OF = String.raw`(?:/|out\s+of|von|de|sur|su|di|van|av|af|z|of)`
const FRACTION = new RegExp(String.raw`^(${NUMBER}?)\s*${OF}\s*(${NUMBER}?)(?:\s*[\p{L}\p{M}\s.]*)$`, 'iu')
const JAPANESE = /^(\d+)つ星のうち([\d.]+)$/u
const WITH_WORD = new RegExp(
  String.raw`^(${NUMBER}?)\s*(?:stars?|sterne?|étoiles?|estrellas?|estrelas?|stelle|stella|★|⭐\ufe0f?)$`,
  'iu',
)
const STARS = /^((?:★|⭐\ufe0f?|🌟)+)(☆*)$/u

/**
 * Reads a number as people and pages write it: `4,5`, `1.234,56`, `4/5`, "5.0 out of 5 stars", ★★★★☆. Of one that could be a thousand and more or one
 * and a part (`1,234`) nothing is made.
 *
 * @param scale The highest value of a rating, where it is known: a number out of another is none of this scale. Undefined for what is no rating, of
 * which `3/4` is three quarters.
 */
export function readNumber(text: string, scale: number | 'any' | undefined): number | undefined {
  const given = text.trim()
  const [, stars, empty = ''] = STARS.exec(given) ?? []
  if (stars !== undefined) {
    const count = stars.match(/★|⭐|🌟/gu)?.length ?? 0
    return empty === '' || scale === 'any' || count + empty.length === scale ? count : undefined
  }
  const [, highest, japanese] = JAPANESE.exec(given) ?? []
  const [, value, of] = highest === undefined ? (FRACTION.exec(given) ?? []) : [given, japanese, highest]
  if (value !== undefined) {
    const most = readDecimal(of ?? '')
    return most !== undefined && (scale === 'any' || most === scale) ? readDecimal(value) : undefined
  }
  return readDecimal(WITH_WORD.exec(given)?.[1] ?? given)
}

/** A number written with a decimal comma, or with thousands apart. */
function readDecimal(text: string): number | undefined {
  const given = text.trim().replaceAll(/[\u00a0\u202f' ](?=\d{3}(\D|$))/g, '')
  if (!/^[+-]?\d[\d.,]*$/.test(given)) return undefined
  const comma = given.lastIndexOf(',')
  const point = given.lastIndexOf('.')
  // Alone and before three digits, either may part thousands.
  if (comma !== -1 && point === -1 && /^[+-]?\d{1,3}(,\d{3})+$/.test(given)) {
    return given.indexOf(',') === comma ? undefined : Number(given.replaceAll(',', ''))
  }
  const [thousands, decimal] = comma > point ? ['.', ','] : [',', '.']
  const [whole = '', part, ...more] = given.split(decimal)
  const grouped = thousands === '.' ? /^[+-]?\d{1,3}(\.\d{3})+$/ : /^[+-]?\d{1,3}(,\d{3})+$/
  if (more.length > 0 || (whole.includes(thousands) && !grouped.test(whole)) || part?.includes(thousands))
    return undefined
  const plain = whole.replaceAll(thousands, '')
  return Number(part === undefined || part === '' ? plain : `${plain}.${part}`)
}
