import { readFile } from 'node:fs/promises'
import { attachedTo, attachment, type Comment } from '../comment.ts'
import type { Photo } from '../photos/photo.ts'
import type { Photos } from '../photos/photos.ts'
import { demoProducts } from './named-products.ts'
import type { ProductKind } from './product-kinds.ts'

/** The folder beside the sources, where both the sources and the build find the pictures. */
const FOLDER = new URL('../../src/demo/photos/', import.meta.url)
/** Two views of each kind of product. */
const VIEWS = [1, 2] as const
/** Products that have photos: the first of the list. */
const PHOTOGRAPHED = 5
/** Comments of each with photos, of those that most find helpful and of the newest. */
const EACH = 2

/** Gives photos to some comments of the most popular products, where a newcomer looks first. */
export async function withDemoPhotos(comments: readonly Comment[], photos: Photos): Promise<readonly Comment[]> {
  const kinds = [...demoProducts()].slice(0, PHOTOGRAPHED)
  const attached = new Map<string, readonly Photo[]>()
  for (const [productId, { kind }] of kinds) {
    const chosen = chosenOf(comments.filter((each) => each.productId === productId && each.rating >= 4))
    for (const [i, { id }] of chosen.entries()) attached.set(id, await taken(photos, kind, i))
  }
  return comments.map((comment) => {
    const own = attached.get(comment.id)
    return own === undefined ? comment : { ...comment, attached: attachment({ ...attachedTo(comment), photos: own }) }
  })
}

function chosenOf(comments: readonly Comment[]): readonly Comment[] {
  const helpful = comments.toSorted((a, b) => b.helpful - a.helpful).slice(0, EACH)
  const newest = comments.toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1)).slice(0, EACH)
  return [...new Set([...helpful, ...newest])]
}

/** The first comment has both views, the others one each. */
async function taken(photos: Photos, kind: ProductKind, nth: number): Promise<readonly Photo[]> {
  const views = nth === 0 ? VIEWS : VIEWS.filter((view) => view === (nth % 2) + 1)
  return Promise.all(views.map(async (view) => photos.take(await readFile(new URL(`${kind}-${view}.webp`, FOLDER)))))
}
