/** @module lapidary/reader */

export { indexes } from '../layouts/indexes/indexes.ts'
export { defineCollection } from '../model/collection.ts'
export { LapidaryError } from '../model/errors.ts'
export { anyOf, eachOf, hierarchy, oneOf } from '../model/facet.ts'
export type { DeclaredBy } from '../model/written-out.ts'
export type { CollectionReader } from './collection-reader.ts'
export type { ListQuery } from './list-query.ts'
export type { Page } from './page.ts'
export { createReader, type Reader, type ReaderOptions } from './reader.ts'
