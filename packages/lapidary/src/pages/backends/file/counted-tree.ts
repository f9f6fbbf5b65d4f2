/** Children of a node, or items of a leaf, at most; a fuller one is split in two. */
const WIDTH = 64

/** What a tree asks of its items; the answers stay as long as an item is in it. */
export interface TreeOrder<T> {
  /** Items are in the order of these numbers. */
  key(item: T): number
  /** Below zero when `a` comes before `b`, where their keys are equal. */
  compareTied(a: T, b: T): number
  weight(item: T): number
}

/** A leaf, or a branch with its children. */
class Node<T> {
  /** Of a branch: each is at most the least item of the child with the same index, and above all of the children before it. */
  readonly items: T[]
  /** The key of each item, and what it, or the child with its index, weighs: apart, so that a search and a sum look at numbers only. */
  readonly keys: number[]
  readonly weights: number[]
  readonly children: Node<T>[] | undefined
  count: number
  weight: number

  constructor(items: T[], keys: number[], weights: number[], children: Node<T>[] | undefined) {
    this.items = items
    this.keys = keys
    this.weights = weights
    this.children = children
    this.count = items.length
    if (children !== undefined) this.count = children.reduce((sum, { count }) => sum + count, 0)
    this.weight = weights.reduce((sum, weight) => sum + weight, 0)
  }
}

const emptyLeaf = <T>(): Node<T> => new Node<T>([], [], [], undefined)

/** A place among items: how many come before it, and what they weigh. */
export interface TreePlace {
  readonly index: number
  readonly weight: number
}

/**
 * Items in order, found by item, by rank and by weight in logarithmic time: a B+ tree whose nodes know how many items they hold, and what
 * these weigh.
 */
export class CountedTree<T> {
  #root: Node<T> = emptyLeaf()
  readonly #order: TreeOrder<T>

  constructor(order: TreeOrder<T>) {
    this.#order = order
  }

  get size(): number {
    return this.#root.count
  }

  /** What all items weigh. */
  get weight(): number {
    return this.#root.weight
  }

  /** The item with so many before it; `rank` is from 0 to below `size`. */
  at(rank: number): T {
    let node = this.#root
    let left = rank
    while (node.children !== undefined) {
      let i = 0
      for (let child = node.children[0]; child !== undefined && left >= child.count; child = node.children[++i]) {
        left -= child.count
      }
      node = node.children[i] as Node<T>
    }
    return node.items[left] as T
  }

  /** How many items come before this one, whether or not it is there. */
  rank(item: T): number {
    const key = this.#order.key(item)
    let node = this.#root
    let rank = 0
    while (node.children !== undefined) {
      const index = this.#childFor(node, key, item)
      for (let i = 0; i < index; i++) rank += (node.children[i] as Node<T>).count
      node = node.children[index] as Node<T>
    }
    return rank + this.#lowerBound(node, key, item)
  }

  /** What the items before this one weigh, whether or not it is there. */
  weightBefore(item: T): number {
    const key = this.#order.key(item)
    let node = this.#root
    let weight = 0
    while (node.children !== undefined) {
      const index = this.#childFor(node, key, item)
      for (let i = 0; i < index; i++) weight += node.weights[i] as number
      node = node.children[index] as Node<T>
    }
    const end = this.#lowerBound(node, key, item)
    for (let i = 0; i < end; i++) weight += node.weights[i] as number
    return weight
  }

  /** The place of the first item that is far enough; from one such item on, all are. `weight` is that of the items before. */
  search(isFarEnough: (item: T, weight: number) => boolean): TreePlace {
    let node = this.#root
    let index = 0
    let weight = 0
    while (node.children !== undefined) {
      const { children, items, weights } = node
      // The last child that begins too early; what it has at least stands for its first item.
      let next = 0
      for (; next + 1 < children.length; next++) {
        const after = weight + (weights[next] as number)
        if (isFarEnough(items[next + 1] as T, after)) break
        weight = after
        index += (children[next] as Node<T>).count
      }
      node = children[next] as Node<T>
    }
    let next = 0
    for (; next < node.items.length && !isFarEnough(node.items[next] as T, weight); next++) {
      weight += node.weights[next] as number
    }
    return { index: index + next, weight }
  }

  /** Adds an item that is not there yet. */
  insert(item: T): void {
    const left = this.#root
    const right = this.#insert(left, this.#order.key(item), item, this.#order.weight(item))
    if (right === undefined) return
    this.#root = new Node(
      [left.items[0] as T, right.items[0] as T],
      [left.keys[0] as number, right.keys[0] as number],
      [left.weight, right.weight],
      [left, right],
    )
  }

  /** Takes an item away that is there. */
  delete(item: T): void {
    this.#delete(this.#root, this.#order.key(item), item, this.#order.weight(item))
    while (this.#root.children?.length === 1) this.#root = this.#root.children[0] as Node<T>
    if (this.#root.count === 0) this.#root = emptyLeaf()
  }

  /** Every item in order; the tree must not change meanwhile. */
  *[Symbol.iterator](): Generator<T, undefined> {
    for (let start = 0; start < this.size; start += WIDTH) yield* this.slice(start, WIDTH)
  }

  /** So many items from a rank on, or as many as there are. */
  slice(start: number, count: number): T[] {
    const items: T[] = []
    if (count > 0) this.visit(start, (item) => items.push(item) < count)
    return items
  }

  /** Shows items from a rank on, as long as more are wanted. */
  visit(start: number, wantsMore: (item: T) => boolean): void {
    this.#visit(this.#root, start, wantsMore)
  }

  #visit(node: Node<T>, start: number, wantsMore: (item: T) => boolean): boolean {
    if (node.children === undefined) {
      for (let i = start; i < node.items.length; i++) if (!wantsMore(node.items[i] as T)) return false
      return true
    }
    let skip = start
    for (const child of node.children) {
      if (skip < child.count && !this.#visit(child, skip, wantsMore)) return false
      skip = Math.max(0, skip - child.count)
    }
    return true
  }

  #insert(node: Node<T>, key: number, item: T, weight: number): Node<T> | undefined {
    node.count++
    node.weight += weight
    const { items, keys, weights, children } = node
    if (children === undefined) {
      const at = this.#lowerBound(node, key, item)
      insertAt(items, at, item)
      insertAt(keys, at, key)
      insertAt(weights, at, weight)
      return items.length > WIDTH ? this.#split(node) : undefined
    }
    const index = this.#childFor(node, key, item)
    if (index === 0 && this.#lowerBound(node, key, item) === 0) {
      items[0] = item
      keys[0] = key
    }
    const child = children[index] as Node<T>
    const right = this.#insert(child, key, item, weight)
    weights[index] = child.weight
    if (right === undefined) return undefined
    insertAt(items, index + 1, right.items[0] as T)
    insertAt(keys, index + 1, right.keys[0] as number)
    insertAt(weights, index + 1, right.weight)
    insertAt(children, index + 1, right)
    return children.length > WIDTH ? this.#split(node) : undefined
  }

  /** Takes the right half out of a node. */
  #split(node: Node<T>): Node<T> {
    const half = WIDTH >> 1
    const { items, keys, weights, children } = node
    const right = new Node(items.splice(half), keys.splice(half), weights.splice(half), children?.splice(half))
    node.count -= right.count
    node.weight -= right.weight
    return right
  }

  #delete(node: Node<T>, key: number, item: T, weight: number): void {
    node.count--
    node.weight -= weight
    const { items, keys, weights, children } = node
    let index: number
    if (children === undefined) index = this.#lowerBound(node, key, item)
    else {
      index = this.#childFor(node, key, item)
      const child = children[index] as Node<T>
      this.#delete(child, key, item, weight)
      weights[index] = child.weight
      if (child.count > 0 || children.length === 1) return
      deleteAt(children, index)
    }
    deleteAt(items, index)
    deleteAt(keys, index)
    deleteAt(weights, index)
  }

  /** The child that an item belongs in. */
  #childFor(node: Node<T>, key: number, item: T): number {
    const index = this.#lowerBound(node, key, item)
    const isFirst = node.keys[index] === key && this.#order.compareTied(node.items[index] as T, item) === 0
    return isFirst ? index : Math.max(0, index - 1)
  }

  /** How many items of a node come before this one. */
  #lowerBound({ keys, items }: Node<T>, key: number, item: T): number {
    let low = 0
    let high = keys.length
    while (low < high) {
      const middle = (low + high) >> 1
      const own = keys[middle] as number
      if (own < key || (own === key && this.#order.compareTied(items[middle] as T, item) < 0)) low = middle + 1
      else high = middle
    }
    return low
  }
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
