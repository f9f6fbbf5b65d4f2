/** Children of a node, or items of a leaf, at most; a fuller one is split in two. */
const WIDTH = 64

interface Leaf<T> {
  readonly items: T[]
  readonly children?: undefined
  count: number
}

interface Branch<T> {
  /** At most the least item of the child with the same index, and above all of the children before it. */
  readonly items: T[]
  readonly children: Node<T>[]
  count: number
}

type Node<T> = Leaf<T> | Branch<T>

/** Items in order, found by item and by rank in logarithmic time: a B+ tree whose nodes know how many items they hold. */
export class CountedTree<T> {
  #root: Node<T> = { items: [], count: 0 }
  readonly #compare: (a: T, b: T) => number

  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare
  }

  get size(): number {
    return this.#root.count
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
    let node = this.#root
    let rank = 0
    while (node.children !== undefined) {
      const index = this.#childFor(node, item)
      for (let i = 0; i < index; i++) rank += node.children[i]?.count ?? 0
      node = node.children[index] as Node<T>
    }
    return rank + this.#lowerBound(node.items, item)
  }

  /** The first index whose item is far enough; from one such item on, all are. */
  search(isFarEnough: (item: T, index: number) => boolean): number {
    let node = this.#root
    let start = 0
    while (node.children !== undefined) {
      // The last child that begins too early; what it has at least stands for its first item.
      let next = 0
      let nextStart = start
      for (let i = 1, at = start; i < node.children.length; i++) {
        at += node.children[i - 1]?.count ?? 0
        if (isFarEnough(node.items[i] as T, at)) break
        next = i
        nextStart = at
      }
      node = node.children[next] as Node<T>
      start = nextStart
    }
    let low = 0
    let high = node.items.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (isFarEnough(node.items[middle] as T, start + middle)) high = middle
      else low = middle + 1
    }
    return start + low
  }

  /** Adds an item that is not there yet. */
  insert(item: T): void {
    const right = this.#insert(this.#root, item)
    if (right === undefined) return
    const left = this.#root
    this.#root = {
      items: [left.items[0] as T, right.items[0] as T],
      children: [left, right],
      count: left.count + right.count,
    }
  }

  /** Takes an item away that is there. */
  delete(item: T): void {
    this.#delete(this.#root, item)
    while (this.#root.children?.length === 1) this.#root = this.#root.children[0] as Node<T>
    if (this.#root.count === 0) this.#root = { items: [], count: 0 }
  }

  /** Every item in order; the tree must not change meanwhile. */
  *[Symbol.iterator](): Generator<T, undefined> {
    for (let start = 0; start < this.size; start += WIDTH) yield* this.slice(start, WIDTH)
  }

  /** So many items from a rank on, or as many as there are. */
  slice(start: number, count: number): T[] {
    const items: T[] = []
    if (count > 0) this.#collect(this.#root, start, count, items)
    return items
  }

  #collect(node: Node<T>, start: number, count: number, into: T[]): void {
    if (node.children === undefined) {
      for (let i = start; i < node.items.length && into.length < count; i++) into.push(node.items[i] as T)
      return
    }
    let skip = start
    for (const child of node.children) {
      if (skip < child.count) this.#collect(child, skip, count, into)
      if (into.length >= count) return
      skip = Math.max(0, skip - child.count)
    }
  }

  #insert(node: Node<T>, item: T): Node<T> | undefined {
    node.count++
    if (node.children === undefined) {
      node.items.splice(this.#lowerBound(node.items, item), 0, item)
      return node.items.length > WIDTH ? this.#split(node) : undefined
    }
    const index = this.#childFor(node, item)
    if (index === 0 && this.#compare(item, node.items[0] as T) < 0) node.items[0] = item
    const right = this.#insert(node.children[index] as Node<T>, item)
    if (right === undefined) return undefined
    node.items.splice(index + 1, 0, right.items[0] as T)
    node.children.splice(index + 1, 0, right)
    return node.children.length > WIDTH ? this.#split(node) : undefined
  }

  /** Takes the right half out of a node. */
  #split(node: Node<T>): Node<T> {
    const half = WIDTH >> 1
    const items = node.items.splice(half)
    if (node.children === undefined) {
      node.count = half
      return { items, count: items.length }
    }
    const children = node.children.splice(half)
    const count = children.reduce((sum, child) => sum + child.count, 0)
    node.count -= count
    return { items, children, count }
  }

  #delete(node: Node<T>, item: T): void {
    node.count--
    if (node.children === undefined) {
      node.items.splice(this.#lowerBound(node.items, item), 1)
      return
    }
    const index = this.#childFor(node, item)
    const child = node.children[index] as Node<T>
    this.#delete(child, item)
    if (child.count > 0 || node.children.length === 1) return
    node.items.splice(index, 1)
    node.children.splice(index, 1)
  }

  /** The child that an item belongs in. */
  #childFor(node: Branch<T>, item: T): number {
    const index = this.#lowerBound(node.items, item)
    const isFirst = index < node.items.length && this.#compare(node.items[index] as T, item) === 0
    return isFirst ? index : Math.max(0, index - 1)
  }

  /** How many of some items come before this one. */
  #lowerBound(items: readonly T[], item: T): number {
    let low = 0
    let high = items.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#compare(items[middle] as T, item) < 0) low = middle + 1
      else high = middle
    }
    return low
  }
}
