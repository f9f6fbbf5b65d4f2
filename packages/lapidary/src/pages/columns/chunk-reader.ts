import type { Place } from '../place.ts'
import type { NodeStore, Reading, TreeName } from '../tree/node-store.ts'
import { type Block, chunkFence, chunkOf, type KnownPlace, PLACES, type PlacesNode, unpackPlaces } from './block.ts'
import { idIn } from './cell-columns.ts'
import { checkedChunk, rowOf } from './edit-block.ts'
import type { Match, Took } from './match.ts'
import { after } from './read-blocks.ts'

/** Reads places of blocks, each chunk once. */
export class ChunkReader {
  readonly #store: NodeStore
  readonly #tree: TreeName
  readonly #reading: Reading
  readonly #chunks = new Map<string, Promise<PlacesNode>>()
  #rcu = 0
  #requests = 0

  constructor(store: NodeStore, tree: TreeName, reading: Reading) {
    this.#store = store
    this.#tree = tree
    this.#reading = reading
  }

  get took(): Omit<Took, 'rounds'> {
    return { rcu: this.#rcu, requests: this.#requests }
  }

  /** The first row in columns that is not before a place. */
  async rowAt(block: Block, place: Place): Promise<number> {
    const chunk = chunkOf(block, place)
    const read = chunk < 0 ? new Map() : new Map([[chunk, await this.#chunk(block, chunk)]])
    return rowOf(block, place, read).row
  }

  async placesOf(matches: readonly Match[]): Promise<readonly KnownPlace[]> {
    return Promise.all(
      matches.map(async ({ block, at }) => {
        if (typeof at !== 'number') {
          const id = at.cell && idIn(at.cell)
          return id === undefined ? at.place : { ...at.place, id }
        }
        const { places } = await this.#chunk(block, Math.floor(at / block.chunkRows))
        return places[at % block.chunkRows] as KnownPlace
      }),
    )
  }

  /** @throws {Torn} */
  async #chunk(block: Block, chunk: number): Promise<PlacesNode> {
    const fence = chunkFence(block, chunk)
    const known = this.#chunks.get(fence)
    if (known !== undefined) return known
    const reading = this.#read(block, chunk, fence)
    this.#chunks.set(fence, reading)
    return reading
  }

  async #read(block: Block, chunk: number, fence: string): Promise<PlacesNode> {
    const range = { row: PLACES, from: fence, to: after(fence), most: 1 }
    this.#requests += 1
    const { nodes, rcu } = await this.#store.range(this.#tree, range, this.#reading)
    this.#rcu += rcu
    return checkedChunk(block, chunk, nodes[0] && unpackPlaces(nodes[0]))
  }
}
