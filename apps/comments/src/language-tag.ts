/** Long enough for every tag that RFC 5646 (4.4.1) says to have room for. */
const MAX_LENGTH = 35

const PRIVATE_USE = 'x(-[a-z0-9]{1,8})+'

/** `langtag` and `privateuse` of RFC 5646, 2.1. */
const TAG = new RegExp(
  `^(${[
    '([a-z]{2,3}(-[a-z]{3}){0,3}|[a-z]{4,8})', // language
    '(-[a-z]{4})?', // script
    '(-([a-z]{2}|[0-9]{3}))?', // region
    '(-([a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*', // variants
    '(-[a-wyz0-9](-[a-z0-9]{2,8})+)*', // extensions
    `(-${PRIVATE_USE})?`,
  ].join('')}|${PRIVATE_USE})$`,
  'i',
)

/** Tags from before that grammar which do not follow it (RFC 5646, 2.2.8). */
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

/** Whether a text is a well-formed BCP 47 tag, in any case; whether its parts are registered is not looked at. */
export function isLanguageTag(text: string): boolean {
  return text.length <= MAX_LENGTH && (TAG.test(text) || IRREGULAR.has(text.toLowerCase()))
}
