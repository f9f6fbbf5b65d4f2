/** Regions and scripts that languages are named with. */
const VARIANTS = [
  'pt-BR',
  'pt-PT',
  'en-US',
  'en-GB',
  'es-ES',
  'es-MX',
  'fr-CA',
  'fr-FR',
  'de-AT',
  'de-CH',
  'zh-CN',
  'zh-TW',
  'zh-HK',
  'zh-Hans',
  'zh-Hant',
  'sr-Latn',
]

/**
 * Reads a language as exports name it: a tag in any form (`pt_BR`, `EN`, `eng`), or its name in English or in itself ("Portuguese (Brazil)", Deutsch).
 *
 * @returns A BCP 47 tag; undefined for what is no language that is known.
 */
export function readLanguage(text: string): string | undefined {
  const given = text.trim()
  names ??= languageNames()
  const named = names.get(given.toLowerCase())
  if (named !== undefined) return named
  try {
    const [tag] = Intl.getCanonicalLocales(given.replaceAll('_', '-'))
    // No language has a tag of more than three letters.
    return tag !== undefined && /^[a-z]{2,3}(-|$)/.test(tag) ? tag : undefined
  } catch {
    return undefined
  }
}

let names: ReadonlyMap<string, string> | undefined

/** The names that the Unicode data of Node.js have, in lower case. */
function languageNames(): ReadonlyMap<string, string> {
  const letters = [...'abcdefghijklmnopqrstuvwxyz']
  const codes = [...letters.flatMap((a) => letters.map((b) => a + b)), 'fil', 'yue', 'haw', 'ceb', ...VARIANTS]
  const found = new Map<string, string>()
  for (const languageDisplay of ['dialect', 'standard'] as const) {
    const english = new Intl.DisplayNames('en', { type: 'language', fallback: 'none', languageDisplay })
    for (const code of codes) {
      const name = english.of(code)
      if (name === undefined) continue
      const own = new Intl.DisplayNames(code, { type: 'language', fallback: 'none', languageDisplay }).of(code)
      for (const each of [name, own])
        if (each !== undefined && !found.has(each.toLowerCase())) found.set(each.toLowerCase(), code)
    }
  }
  return found
}

/** Returns the language that most people of a country write, by its two letters: `DE` gives `de`. */
export function languageOfCountry(country: string): string | undefined {
  try {
    const region = country.trim().toUpperCase()
    const isKnown = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' }).of(region) !== undefined
    return isKnown ? new Intl.Locale(`und-${region}`).maximize().language : undefined
  } catch {
    return undefined
  }
}
