import type { LanguageTexts } from './language-texts.ts'
import { arabic } from './languages/ar.ts'
import { german } from './languages/de.ts'
import { english } from './languages/en.ts'
import { spanish } from './languages/es.ts'
import { french } from './languages/fr.ts'
import { italian } from './languages/it.ts'
import { japanese } from './languages/ja.ts'
import { brazilianPortuguese } from './languages/pt-br.ts'

/** The languages of made-up comments, and the share of all comments in each. */
export const LANGUAGES: readonly { readonly texts: LanguageTexts; readonly share: number }[] = [
  { texts: english, share: 0.42 },
  { texts: german, share: 0.14 },
  { texts: french, share: 0.11 },
  { texts: spanish, share: 0.11 },
  { texts: brazilianPortuguese, share: 0.07 },
  { texts: japanese, share: 0.07 },
  { texts: italian, share: 0.05 },
  { texts: arabic, share: 0.03 },
]
