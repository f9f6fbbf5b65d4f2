import type { ListParameters } from '../list-parameters.ts'
import { readList } from '../read-list.ts'
import type { Services } from '../services.ts'
import { FIRST_PAGE, isFiltered, listPath, NO_FILTER } from './links.ts'
import type { Words } from './words.ts'

/** A filter that an empty list could drop. */
export interface Relaxation {
  readonly text: string
  readonly href: string
}

/** Finds the filters to drop to see comments, by reading one comment for each; empty when no single one helps. */
export async function findRelaxations(
  services: Services,
  productId: string,
  parameters: ListParameters,
  words: Words,
): Promise<readonly Relaxation[]> {
  const choices = candidates(parameters, words)
  const found = await Promise.all(
    choices.map(async ({ text, changes }) => {
      const wider = { ...parameters, ...FIRST_PAGE, ...changes }
      const { items } = await readList(services, productId, { ...wider, limit: 1 }, { beside: choices.length })
      return items.length === 0 ? [] : [{ text, href: listPath(productId, wider) }]
    }),
  )
  return found.flat()
}

function candidates(
  parameters: ListParameters,
  words: Words,
): readonly { text: string; changes: Partial<ListParameters> }[] {
  const { language, ratings, verified, answered, from, to, cursor, page = 1 } = parameters
  const { votes } = words.say
  const say = words.say.empty
  const narrowed = [
    ...(language === undefined
      ? []
      : [{ text: say.dropLanguage(words.languageName(language)), changes: { language: undefined } }]),
    ...(ratings.length === 0
      ? []
      : [
          {
            text: say.dropRatings(words.list(ratings.map((rating) => words.count(rating, 'star')))),
            changes: { ratings: [] },
          },
        ]),
    ...(verified === undefined ? [] : [{ text: votes.dropVerified, changes: { verified: undefined } }]),
    ...(answered === undefined ? [] : [{ text: votes.dropAnswered, changes: { answered: undefined } }]),
    ...(from === undefined && to === undefined
      ? []
      : [{ text: say.dropDates, changes: { from: undefined, to: undefined } }]),
  ]
  return [
    ...(cursor === undefined && page === 1 ? [] : [{ text: say.toFirstOfThese, changes: {} }]),
    ...narrowed,
    ...(isFiltered(parameters) && narrowed.length > 1 ? [{ text: say.dropAll, changes: NO_FILTER }] : []),
  ]
}
