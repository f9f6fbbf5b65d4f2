import { readFileSync } from 'node:fs'
import type { NamedProduct } from '../demo/named-products.ts'
import { PICTURE_COLOURS, type PictureColour, PRODUCT_KINDS } from '../demo/product-kinds.ts'
import { ASSETS_FOLDER } from './assets-folder.ts'

/** The colours of body, shade and light; the files are drawn in the first. */
const COLOURS: Readonly<Record<PictureColour, readonly [string, string, string]>> = {
  emerald: ['#0b6e58', '#084c3d', '#7fd3b9'],
  clay: ['#b5532d', '#7d3419', '#f2b48f'],
  slate: ['#3d5a80', '#263c5a', '#a9c4e4'],
  plum: ['#7d4a86', '#55305c', '#d3a9da'],
}

/** Returns the name of a product's picture among the assets. */
export function pictureOf({ kind, colour }: Pick<NamedProduct, 'kind' | 'colour'>): string {
  return `${kind}-${colour}.svg`
}

/** The picture of each kind of product, drawn once and coloured. */
export const PRODUCT_PICTURES: ReadonlyMap<string, string> = new Map(
  PRODUCT_KINDS.flatMap((kind) => {
    const drawn = readFileSync(new URL(`products/${kind}.svg`, ASSETS_FOLDER), 'utf8')
    return PICTURE_COLOURS.map((colour): [string, string] => [
      pictureOf({ kind, colour }),
      COLOURS.emerald.reduce((svg, from, i) => svg.replaceAll(from, COLOURS[colour][i] ?? from), drawn),
    ])
  }),
)
