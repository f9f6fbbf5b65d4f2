import type { FacetValue } from '../model/facet.ts'

/** The reason why an index can't answer a query, as data: a program can say it in the words of its own readers. */
export type Refusal =
  /** Its items have only these values of the facet. */
  | { readonly kind: 'sparse'; readonly facet: string; readonly values: readonly FacetValue[] }
  /** Each of its lists has one scope and the query asks for all, or the other way round. */
  | { readonly kind: 'scope'; readonly lists: 'one' | 'all' }
  /** The query leaves a facet open or asks for a range of it, and the facet's values are not known. */
  | { readonly kind: 'values'; readonly facet: string; readonly asked: 'open' | 'range' }
  /** The query asks for a value of the facet that no key holds: null, or the empty text too. */
  | { readonly kind: 'key'; readonly facet: string; readonly without: 'null' | 'empty' }
  /** It is for reading each of these items with what lies around it. */
  | { readonly kind: 'assembled'; readonly collection: string }
  /** A plan would read more lists than it may; `scopes` where those of several scopes add up to them. */
  | { readonly kind: 'sources'; readonly needed: number; readonly most: number; readonly scopes: boolean }
  /** The table has no such index, or DynamoDB is still building it. */
  | { readonly kind: 'absent' }
  /** Not all items have its keys yet. */
  | { readonly kind: 'filling' }
  /** Not all duplicates are there that the change stream keeps. */
  | { readonly kind: 'duplicates' }
  /** The table has it with another declaration. */
  | { readonly kind: 'redeclared' }
  /** It is not as DynamoDB would have to have it: `state of index byStatus` is `CREATING`. */
  | { readonly kind: 'differs'; readonly what: string; readonly actual: string }
  /** What a layout of your own says. */
  | { readonly kind: 'other'; readonly text: string }

/** Tells whether something other than the query refuses the index: the cap on lists, or the state of the index. The plan says so. */
export function isBeyondQuery({ kind }: Refusal): boolean {
  return ['sources', 'absent', 'filling', 'duplicates', 'redeclared', 'differs'].includes(kind)
}

/** Writes a refusal in English, to be read after the name of the index. */
export function refusalText(refusal: Refusal): string {
  switch (refusal.kind) {
    case 'sparse':
      return `sparse: it holds only ${refusal.facet} in (${refusal.values.map(String).join(', ')})`
    case 'scope':
      return refusal.lists === 'one'
        ? 'has lists of one scope each, and the query asks for all'
        : 'has lists of all scopes together'
    case 'values': {
      const how = refusal.asked === 'open' ? `leaves ${refusal.facet} open` : `asks for a range of ${refusal.facet}`
      return `the query ${how} and its values are not known`
    }
    case 'key':
      return refusal.without === 'null'
        ? `${refusal.facet} is asked for null, and no key is made from null`
        : `${refusal.facet} is asked for the empty text or null, which no key holds`
    case 'assembled':
      return `assembled: it holds each ${refusal.collection} by itself`
    case 'sources': {
      const { needed, most, scopes } = refusal
      const advice = scopes ? ': ask for fewer scopes, or raise it' : ''
      return `would need ${needed} sources, more than maxSources, ${most}${advice}`
    }
    case 'absent':
      return 'is absent: the table has no such index, or DynamoDB is still building it'
    case 'filling':
      return 'is not used: it is filling; lapidary backfill completes it, once the table has it'
    case 'duplicates':
      return 'is not used: duplicates that the change stream keeps are missing; lapidary rebuild duplicates makes them'
    case 'redeclared':
      return 'is not used: the table has it with another declaration; give this one another name, then lapidary backfill'
    case 'differs':
      return `is not used: ${refusal.what} is ${refusal.actual}`
    case 'other':
      return refusal.text
  }
}
