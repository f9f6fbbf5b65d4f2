import type { ListParameters } from '../list-parameters.ts'
import type { FacetCounts } from './filter-panel.tsx'
import { FIRST_PAGE, listPath } from './links.ts'
import { useReader } from './reader.ts'

interface OwnLanguageProps {
  readonly productId: string
  readonly parameters: ListParameters
  readonly facets: FacetCounts
}

/** Shows a link to the comments in the reader's own language, with their number, above a list that has others too. */
export function OwnLanguage({ productId, parameters, facets }: OwnLanguageProps) {
  const { languages, words } = useReader()
  const counts = facets?.language
  if (counts === undefined || parameters.language !== undefined) return null
  const language = languages.find((tag) => (counts[tag] ?? 0) > 0)
  const isOnly = Object.entries(counts).every(([tag, count]) => tag === language || count === 0)
  if (language === undefined || isOnly) return null
  return (
    <a
      class="own-language"
      id="own-language"
      href={listPath(productId, parameters, { ...FIRST_PAGE, language })}
      data-counts
    >
      {words.say.filter.ownLanguage(words.languageName(language), words.number(counts[language] ?? 0))}
    </a>
  )
}
