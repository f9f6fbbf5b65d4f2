/** A product as its shop shows it. */
export interface Product {
  readonly id: string
  readonly name: string
  /** A picture among the assets of the pages; they show none when not given. */
  readonly picture?: string | undefined
}

/** The products of a shop: the pages take their names and pictures from it, and search in it. */
export interface Catalogue {
  /** Returns a product; undefined where there is none with this id, so that its page is 404. */
  get(id: string): Promise<Product | undefined> | Product | undefined
  /**
   * Returns products by what a reader has typed of their names, the likeliest first.
   *
   * @param text What was typed, without space around it; never empty.
   * @param limit The most products that are shown.
   */
  find(text: string, limit: number): Promise<readonly Product[]> | readonly Product[]
}
