import { type CollectionClient, createLapidary, type LapidaryOptions } from 'lapidary'
import { type Authorship, authorships, authorshipsIn } from './authorships.ts'
import { type Case, cases, casesIn } from './cases.ts'

/** The private records beside the comments, in the same table. */
export interface PeopleRecords {
  readonly cases: CollectionClient<Case, (typeof cases)['facets']>
  readonly authorships: CollectionClient<Authorship, (typeof authorships)['facets']>
}

/**
 * Opens the private records. They are no part of the database of the comments: nothing counts or numbers them, and no export, API or studio of
 * that database can show them.
 */
export function openPeopleRecords(
  options: Pick<LapidaryOptions<Record<never, never>>, 'client' | 'tableName' | 'layout' | 'cursorSecret' | 'observers'>,
): PeopleRecords {
  const name = options.layout?.name
  const collections = { cases: casesIn(name), authorships: authorshipsIn(name) }
  const { cases: ofCases, authorships: ofAuthorships } = createLapidary({ ...options, collections })
  return { cases: ofCases, authorships: ofAuthorships }
}
