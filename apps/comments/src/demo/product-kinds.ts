/** The kinds of products on sale. */
export const PRODUCT_KINDS = ['headphones', 'backpack', 'coffee-maker', 'running-shoes', 'desk-lamp'] as const

export type ProductKind = (typeof PRODUCT_KINDS)[number]

/** The colours of their pictures. */
export const PICTURE_COLOURS = ['emerald', 'clay', 'slate', 'plum'] as const

export type PictureColour = (typeof PICTURE_COLOURS)[number]
