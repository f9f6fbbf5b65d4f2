import { DEMO_DATA } from './fill-demo-data.ts'
import { PICTURE_COLOURS, type PictureColour, type ProductKind } from './product-kinds.ts'
import { createCatalogue } from './products.ts'

/** A made-up product as a shop would show it. */
export interface NamedProduct {
  /** `Halden Calm wireless headphones` */
  readonly name: string
  readonly kind: ProductKind
  /** The colour of its picture. */
  readonly colour: PictureColour
}

const MAKERS = ['Halden', 'Orrin', 'Sela', 'Kestrel', 'Marlow', 'Fjordal', 'Tamsin', 'Brae', 'Ilex', 'Corvin'] as const

const KINDS: Readonly<Record<ProductKind, { readonly noun: string; readonly models: readonly string[] }>> = {
  headphones: { noun: 'wireless headphones', models: ['Calm', 'Nord', 'Studio', 'Drift', 'Echo', 'Luma', 'Pulse'] },
  backpack: { noun: 'backpack', models: ['Ridge 22', 'Harbour', 'Commuter', 'Fold', 'Trek 30', 'Canal', 'Day'] },
  'coffee-maker': { noun: 'coffee maker', models: ['Dawn', 'Pour 8', 'Classic', 'Mezzo', 'Quiet', 'Duo', 'Ember'] },
  'running-shoes': { noun: 'running shoes', models: ['Stride', 'Tempo 3', 'Trail', 'Glide', 'Mile', 'Peak', 'Relay'] },
  'desk-lamp': { noun: 'desk lamp', models: ['Arc', 'Glow', 'Reach', 'Halo', 'Reader', 'Lumen', 'Tilt'] },
}

/** Returns the products of the demo data by their ids. */
export function demoProducts(): ReadonlyMap<string, NamedProduct> {
  const catalogue = createCatalogue(DEMO_DATA.products, DEMO_DATA.seed)
  const made = new Map<ProductKind, number>()
  return new Map(
    Array.from({ length: DEMO_DATA.products }, (_, rank): [string, NamedProduct] => {
      const { id, kind } = catalogue.product(rank)
      const nth = made.get(kind) ?? 0
      made.set(kind, nth + 1)
      const { noun, models } = KINDS[kind]
      // Ten makers and seven models give the first seventy products of a kind names of their own.
      const name = `${MAKERS[nth % MAKERS.length]} ${models[nth % models.length]} ${noun}`
      return [id, { name, kind, colour: PICTURE_COLOURS[nth % PICTURE_COLOURS.length] ?? 'emerald' }]
    }),
  )
}
