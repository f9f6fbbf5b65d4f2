import type { Collection } from '../model/collection.ts'
import { facetsOf } from '../model/condition.ts'
import type { InputIssue } from '../model/errors.ts'
import { eachOfFacet } from '../model/facet-values.ts'
import { ownValue } from '../model/own-value.ts'
import { isSamePages, type PagesDeclaration, shownPages } from '../model/page-declaration.ts'
import { askedOf, knownSelection, type Query, scopesOf } from '../model/query.ts'

/** Of which page index a query needs its pages; or why none has them. */
export type NumberedBy =
  | { readonly declared: PagesDeclaration; readonly refused?: undefined }
  | { readonly refused: readonly InputIssue[] }

const ASKED_TWICE =
  'is asked by OR, NOT, hasEvery or hasNone, and an item may have several values of it, so pages are not numbered; go by cursor'

/** An item is in one list of a page index at most, so a query is answered that no item can answer to twice. */
export function numberedBy(collection: Collection, query: Query): NumberedBy {
  const { by } = query
  const where = askedOf(query)
  const isEach = (name: string): boolean => eachOfFacet(ownValue(collection.facets, name)) !== undefined
  const narrowing = Object.keys(where).filter((facet) => isEach(facet))
  const [facet] = narrowing
  const refused: InputIssue[] = []
  const several = query.also === undefined ? [] : facetsOf(query.also).filter((name) => isEach(name))
  refused.push(...several.map((path) => ({ path, message: ASKED_TWICE })))
  if (narrowing.length > 1) {
    const message = `narrows beside ${facet}, and pages are numbered by one facet of several values; go by cursor`
    refused.push(...narrowing.slice(1).map((path) => ({ path, message })))
  }
  if (facet !== undefined && (ownValue(knownSelection(where), facet)?.length ?? 0) > 1) {
    const message =
      'names several values, and an item may have more than one of them, so pages are not numbered; name one, or go by cursor'
    refused.push({ path: facet, message })
  }
  if (refused.length > 0) return { refused }
  const declared: PagesDeclaration = {
    ...(by === undefined ? {} : { order: by }),
    ...(facet === undefined ? {} : { facet }),
    ...(scopesOf(query).length === 0 ? { across: true } : {}),
  }
  if ([{}, ...collection.pages].some((each) => isSamePages(each, declared))) return { declared }
  const path = by === undefined ? (facet ?? collection.scope.attribute) : 'by'
  const message = `has no numbered pages: declare ${collection.name} with pages: [${shownPages(declared)}], or go by cursor`
  return { refused: [{ path, message }] }
}
