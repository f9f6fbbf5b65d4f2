import type { KeyTemplate } from '../layouts/key-templates/key-template.ts'
import type { Collection } from '../model/collection.ts'
import type { Facets } from '../model/facet.ts'

/** A collection whose items another program writes, in a table of its own design. */
export interface Attachment<C extends Collection<unknown, Facets> = Collection<unknown, Facets>> {
  /**
   * The collection that is listed: `attributes` are the names in the table, `indexes` those to be added. It has to say `idOrder: 'raw'`, unless
   * all ids are short and plain.
   */
  readonly collection: C
  /**
   * Attributes with the same text in every item of the collection, which together no other item of the table has: `{ type: 'ORDER' }`. They come
   * first in each index, so other items cost nothing; with `keys`, lists pass over items that lack them. Without them, every item of the table
   * that has the attributes is listed.
   */
  readonly kind?: Readonly<Record<string, string>>
  /**
   * The attributes that the indexes hold: `all` of an item, so that a list shows it whole, or of the collection's `attributes` those that are
   * `shown` in lists, which makes writes cheaper; `all` when not given.
   */
  readonly projection?: 'all' | 'shown'
  /**
   * Keys that the table has already and that are made from the items' attributes, its own or those of secondary indexes: lists are read from
   * them as they are. Then only the indexes that the collection declares are to be added.
   */
  readonly keys?: readonly KeyTemplate[]
}

/** Attachments by the name that they get in code. */
export type Attachments = Readonly<Record<string, Attachment>>
