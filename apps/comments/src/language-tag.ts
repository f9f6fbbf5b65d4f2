/** Long enough for every tag for which RFC 5646 (4.4.1) asks for room. */
export const MAX_LANGUAGE_TAG_LENGTH = 35

const LETTER = '[A-Za-z]'
const CHARACTER = '[A-Za-z0-9]'
const PRIVATE_USE = `[Xx](-${CHARACTER}{1,8})+`

/** The rules `langtag` and `privateuse` of RFC 5646, 2.1. */
const TAG = `(${[
  `(${LETTER}{2,3}(-${LETTER}{3}){0,3}|${LETTER}{4,8})`, // language
  `(-${LETTER}{4})?`, // script
  `(-(${LETTER}{2}|[0-9]{3}))?`, // region
  `(-(${CHARACTER}{5,8}|[0-9]${CHARACTER}{3}))*`, // variants
  `(-[A-WYZa-wyz0-9](-${CHARACTER}{2,8})+)*`, // extensions
  `(-${PRIVATE_USE})?`,
].join('')}|${PRIVATE_USE})`

/** Older tags that do not follow that grammar (RFC 5646, 2.2.8). */
const IRREGULAR: ReadonlySet<string> = new Set([
  'art-lojban',
  'cel-gaulish',
  'en-gb-oed',
  'i-ami',
  'i-bnn',
  'i-default',
  'i-enochian',
  'i-hak',
  'i-klingon',
  'i-lux',
  'i-mingo',
  'i-navajo',
  'i-pwn',
  'i-tao',
  'i-tay',
  'i-tsu',
  'no-bok',
  'no-nyn',
  'sgn-be-fr',
  'sgn-be-nl',
  'sgn-ch-de',
  'zh-guoyu',
  'zh-hakka',
  'zh-min',
  'zh-min-nan',
  'zh-xiang',
])

/** The grammar as a regular expression, for the description of the API too. */
export const LANGUAGE_TAG_PATTERN: string = `^(${TAG})$`

const pattern = new RegExp(LANGUAGE_TAG_PATTERN)

/** Tells whether a text is a well-formed BCP 47 tag, in any case. It does not check that its parts are registered. */
export function isLanguageTag(text: string): boolean {
  return text.length <= MAX_LANGUAGE_TAG_LENGTH && (pattern.test(text) || IRREGULAR.has(text.toLowerCase()))
}
