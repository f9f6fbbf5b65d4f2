import type { LanguageTexts, Rating } from './language-texts.ts'
import type { ProductKind } from './product-kinds.ts'
import type { Random } from './random.ts'

/** Makes a title that fits a rating; now and then none. */
export function makeTitle({ titles }: LanguageTexts, rating: Rating, random: Random): string {
  return random.chance(0.04) ? '' : random.pick(titles[rating])
}

/** Makes a text that fits a product and a rating, of one to eight sentences. */
export function makeText(texts: LanguageTexts, kind: ProductKind, rating: Rating, random: Random): string {
  const opening = random.pick(texts.openings[rating])
  const sentences = [opening]
  const [same, other] = rating >= 3 ? [texts.praise[kind], texts.blame[kind]] : [texts.blame[kind], texts.praise[kind]]
  const length = random.next()
  if (length > 0.12) sentences.push(...several(same, length > 0.6 ? 2 : 1, random))
  // An opening with a number says already how long the product was used.
  if (length > 0.35 && !opening.includes('{n}') && random.chance(0.6)) sentences.push(random.pick(texts.useDetails))
  if (rating === 3 || (rating !== 5 && rating !== 1 && random.chance(0.6)) || random.chance(0.06)) {
    sentences.push(turned(texts, random.pick(other), random))
  }
  if (length > 0.25 && random.chance(0.6)) sentences.push(random.pick(detailsOf(texts, rating, random)))
  if (length > 0.08 && random.chance(0.7)) sentences.push(random.pick(texts.closings[moodOf(rating)]))
  return sentences.join(texts.space).replace(/\{n\}/g, () => String(random.whole(3, 9)))
}

/** Makes a name as people give it: whole, shortened, or invented. */
export function makeAuthor({ givenNames, familyNames, fullName, space }: LanguageTexts, random: Random): string {
  const given = random.pick(givenNames)
  const family = random.pick(familyNames)
  const form = random.next()
  if (form < 0.6) return fullName(given, family)
  if (form < 0.75) return given
  if (form < 0.9 && space !== '') return `${given} ${family.charAt(0)}.`
  return `${given.toLowerCase()}_${random.whole(60, 99)}`
}

function several(sentences: readonly string[], count: number, random: Random): readonly string[] {
  const first = random.whole(0, sentences.length - 1)
  const step = random.whole(1, sentences.length - 1)
  return Array.from({ length: count }, (_, i) => sentences[(first + i * step) % sentences.length] ?? '')
}

function turned(texts: LanguageTexts, sentence: string, random: Random): string {
  const rest = texts.continuesSmall ? sentence.charAt(0).toLowerCase() + sentence.slice(1) : sentence
  return [random.pick(texts.however), rest].join(texts.space)
}

function detailsOf(texts: LanguageTexts, rating: Rating, random: Random): readonly string[] {
  if (rating === 3) return random.chance(0.5) ? texts.goodDetails : texts.badDetails
  return rating > 3 ? texts.goodDetails : texts.badDetails
}

function moodOf(rating: Rating): 'good' | 'mixed' | 'bad' {
  if (rating === 3) return 'mixed'
  return rating > 3 ? 'good' : 'bad'
}
