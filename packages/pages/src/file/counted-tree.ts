/** Children of a node, or items of a leaf, at most; a fuller one is split in two. */
const WIDTH = 64
/** A node that is made at once has so many, and room for more. */
const FILL = 48

/**
 * A tree asks this of its items; the answers stay as long as an item is in it. The order of items with equal keys stays for good: a branch may
 * go on comparing with an item that is gone.
 */
export interface TreeOrder<T> {
  /** Items are in the order of these numbers. */
  key(item: T): number
  /** A whole number below zero when `a` comes before `b`, where their keys are equal. */
  compareTied(a: T, b: T): number
  weight(item: T): number
  /** The place of an item if those before it weighed nothing. Together with their weights it never falls along the order. */
  base(item: T): number
}

/** Items that are one behind the other, and those behind them. */
export interface TreeLeaf<T> {
  readonly items: readonly T[]
  readonly weights: readonly number[]
  readonly bases: readonly number[]
  readonly next: TreeLeaf<T> | undefined
}

/** A leaf, or a branch with its children. */
class Node<T> implements TreeLeaf<T> {
  /** In a branch, each is at most the least item of the child with the same index, and above all items of the children before it. */
  readonly items: T[]
  /** Key and base of each item, and what it, or the child with its index, weighs: apart, so that a search and a sum look at numbers only. */
  readonly keys: number[]
  readonly bases: number[]
  readonly weights: number[]
  readonly children: Node<T>[] | undefined
  /** The leaves beside a leaf. */
  next: Node<T> | undefined
  previous: Node<T> | undefined
  weight: number

  constructor(items: T[], keys: number[], bases: number[], weights: number[], children: Node<T>[] | undefined) {
    this.items = items
    this.keys = keys
    this.bases = bases
    this.weights = weights
    this.children = children
    this.weight = weights.reduce((sum, weight) => sum + weight, 0)
  }
}

const emptyLeaf = <T>(): Node<T> => new Node<T>([], [], [], [], undefined)

function branchOver<T>(children: Node<T>[]): Node<T> {
  return new Node<T>(
    children.map(({ items }) => items[0] as T),
    children.map(({ keys }) => keys[0] as number),
    children.map(({ bases }) => bases[0] as number),
    children.map(({ weight }) => weight),
    children,
  )
}

/** A place among items, and what those before it weigh. */
export interface TreePlace<T> {
  readonly leaf: TreeLeaf<T>
  /** Behind the last item of the leaf, maybe. */
  readonly index: number
  readonly weight: number
}

/**
 * Items in order, found by item and by weight in logarithmic time: a B+ tree whose nodes know what their items weigh.
 */
export class CountedTree<T> {
  #root: Node<T> = emptyLeaf()
  readonly #order: TreeOrder<T>

  constructor(order: TreeOrder<T>) {
    this.#order = order
  }

  /** Puts items, which are in order, into a tree that has none: much quicker than one by one. */
  fill(items: readonly T[]): void {
    const leaves: Node<T>[] = []
    for (let i = 0; i < items.length; i += FILL) {
      const part = items.slice(i, i + FILL)
      const numbers = (of: (item: T) => number): number[] => part.map((item) => of.call(this.#order, item))
      const { key, base, weight } = this.#order
      const leaf = new Node<T>(part, numbers(key), numbers(base), numbers(weight), undefined)
      link(leaves.at(-1), leaf)
      leaves.push(leaf)
    }
    let level = leaves
    while (level.length > 1) {
      const above: Node<T>[] = []
      for (let i = 0; i < level.length; i += FILL) above.push(branchOver(level.slice(i, i + FILL)))
      level = above
    }
    this.#root = level[0] ?? emptyLeaf()
  }

  get isEmpty(): boolean {
    return this.#root.items.length === 0
  }

  /** The weight of all items. */
  get weight(): number {
    return this.#root.weight
  }

  /** Returns the weight of the items before this one, whether or not it is there. */
  weightBefore(item: T): number {
    const key = this.#order.key(item)
    let node = this.#root
    let weight = 0
    while (node.children !== undefined) {
      const index = this.#childFor(node, key, item)
      for (let i = 0; i < index; i++) weight += node.weights[i] as number
      node = node.children[index] as Node<T>
    }
    const end = this.#before(node, key, item)
    for (let i = 0; i < end; i++) weight += node.weights[i] as number
    return weight
  }

  /** The place of the first item whose base, with what those before it weigh, is at least this. */
  seek(start: number): TreePlace<T> {
    let node = this.#root
    let weight = 0
    while (node.children !== undefined) {
      const { children, bases, weights } = node
      // The last child that begins too early; what it has at least stands for its first item.
      let index = 0
      for (; index + 1 < children.length; index++) {
        const after = weight + (weights[index] as number)
        if ((bases[index + 1] as number) + after >= start) break
        weight = after
      }
      node = children[index] as Node<T>
    }
    const { bases, weights } = node
    let index = 0
    for (; index < bases.length && (bases[index] as number) + weight < start; index++)
      weight += weights[index] as number
    return { leaf: node, index, weight }
  }

  /**
   * Adds an item that is not there yet.
   *
   * @param settle Called before it is there, with the bases of the items on both sides: the item's own, which may be open until then, is
   * between them.
   */
  insert(item: T, settle: (low: number | undefined, high: number | undefined) => void = () => {}): void {
    const left = this.#root
    const right = this.#insert(left, this.#order.key(item), item, settle)
    if (right === undefined) return
    this.#root = branchOver([left, right])
  }

  /** Takes an item away that is there. */
  delete(item: T): void {
    this.#delete(this.#root, this.#order.key(item), item, this.#order.weight(item))
    while (this.#root.children?.length === 1) this.#root = this.#root.children[0] as Node<T>
    if (this.isEmpty) this.#root = emptyLeaf()
  }

  /** Every item in order; the tree must not change meanwhile. */
  *[Symbol.iterator](): Generator<T, undefined> {
    let leaf: Node<T> | undefined = this.#root
    while (leaf.children !== undefined) leaf = leaf.children[0] as Node<T>
    for (; leaf !== undefined; leaf = leaf.next) yield* leaf.items
  }

  #insert(
    node: Node<T>,
    key: number,
    item: T,
    settle: (low: number | undefined, high: number | undefined) => void,
  ): Node<T> | undefined {
    const { items, keys, bases, weights, children } = node
    if (children === undefined) {
      const at = this.#before(node, key, item)
      settle(bases[at - 1] ?? node.previous?.bases.at(-1), bases[at] ?? node.next?.bases[0])
      const weight = this.#order.weight(item)
      node.weight += weight
      put(node, at, item, key, this.#order.base(item), weight)
      return items.length > WIDTH ? this.#split(node) : undefined
    }
    const after = this.#before(node, key, item, 1)
    const index = Math.max(0, after - 1)
    const child = children[index] as Node<T>
    const right = this.#insert(child, key, item, settle)
    node.weight += this.#order.weight(item)
    weights[index] = child.weight
    if (after === 0) {
      items[0] = item
      keys[0] = key
      bases[0] = this.#order.base(item)
    }
    if (right === undefined) return undefined
    put(node, index + 1, right.items[0] as T, right.keys[0] as number, right.bases[0] as number, right.weight)
    insertAt(children, index + 1, right)
    return children.length > WIDTH ? this.#split(node) : undefined
  }

  /** Takes the right half out of a node. */
  #split(node: Node<T>): Node<T> {
    const half = WIDTH >> 1
    const { items, keys, bases, weights, children } = node
    const right = new Node(
      items.splice(half),
      keys.splice(half),
      bases.splice(half),
      weights.splice(half),
      children?.splice(half),
    )
    if (children === undefined) link(right, node.next)
    if (children === undefined) link(node, right)
    node.weight -= right.weight
    return right
  }

  #delete(node: Node<T>, key: number, item: T, weight: number): void {
    node.weight -= weight
    const { items, keys, bases, weights, children } = node
    let index: number
    if (children === undefined) {
      index = this.#before(node, key, item)
      // It is left out of the tree then, or the tree is empty.
      if (items.length === 1) link(node.previous, node.next)
    } else {
      index = this.#childFor(node, key, item)
      const child = children[index] as Node<T>
      this.#delete(child, key, item, weight)
      weights[index] = child.weight
      if (child.items.length > 0) return
      deleteAt(children, index)
    }
    deleteAt(items, index)
    deleteAt(keys, index)
    deleteAt(bases, index)
    deleteAt(weights, index)
  }

  /** Returns the child that an item belongs in. */
  #childFor(node: Node<T>, key: number, item: T): number {
    return Math.max(0, this.#before(node, key, item, 1) - 1)
  }

  /** Returns how many items of a node come before this one; or are it, too, where the limit is 1. */
  #before({ keys, items }: Node<T>, key: number, item: T, limit: 0 | 1 = 0): number {
    let low = 0
    let high = keys.length
    while (low < high) {
      const middle = (low + high) >> 1
      const own = keys[middle] as number
      if (own < key || (own === key && this.#order.compareTied(items[middle] as T, item) < limit)) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** Puts an item into a leaf, or the least item of a child into a branch. */
function put<T>(node: Node<T>, index: number, item: T, key: number, base: number, weight: number): void {
  insertAt(node.items, index, item)
  insertAt(node.keys, index, key)
  insertAt(node.bases, index, base)
  insertAt(node.weights, index, weight)
}

/** Puts leaves beside each other. */
function link<T>(left: Node<T> | undefined, right: Node<T> | undefined): void {
  if (left !== undefined) left.next = right
  if (right !== undefined) right.previous = left
}

// For arrays as short as these, faster than `splice`, which makes another one.
function insertAt<T>(array: T[], index: number, item: T): void {
  array.push(item)
  for (let i = array.length - 1; i > index; i--) array[i] = array[i - 1] as T
  array[index] = item
}

function deleteAt(array: unknown[], index: number): void {
  for (let i = index + 1; i < array.length; i++) array[i - 1] = array[i]
  array.pop()
}
