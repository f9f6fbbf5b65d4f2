import type { Product } from './catalogue.ts'
import { foldedWords } from './folded.ts'

/** A product with the words of its name. */
interface Named {
  readonly product: Product
  readonly words: readonly string[]
}

/**
 * Makes a search in the names of some thousand products, in memory: each word that was typed has to begin a word of the name. Products whose id or
 * whole name was typed come first, then those whose name begins so; else they keep their order.
 */
export function nameSearch(products: Iterable<Product>): (text: string, limit: number) => readonly Product[] {
  const all = Array.from(products, (product): Named => ({ product, words: foldedWords(product.name) }))
  return (text, limit) => {
    const typed = foldedWords(text)
    const found = all.flatMap((named) => {
      const rank = rankOf(named, text, typed)
      return rank === undefined ? [] : [{ ...named, rank }]
    })
    return found
      .toSorted((a, b) => a.rank - b.rank)
      .slice(0, limit)
      .map(({ product }) => product)
  }
}

/** Ranks how well a product answers, the best 0; undefined where it does not. */
function rankOf({ product, words }: Named, text: string, typed: readonly string[]): number | undefined {
  if (product.id === text) return 0
  if (typed.length === 0 || !typed.every((part) => words.some((word) => word.startsWith(part)))) return undefined
  const beginsSo = typed.every((part, i) => words[i]?.startsWith(part))
  if (!beginsSo) return 3
  return typed.length === words.length && typed.every((part, i) => words[i] === part) ? 1 : 2
}
