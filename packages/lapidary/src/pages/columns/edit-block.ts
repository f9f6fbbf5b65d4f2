import { comparePlaces, type Place, placeText } from '../place.ts'
import type { TreeStep } from '../tree/steps.ts'
import { Torn } from '../tree/torn.ts'
import { type Block, chunkOf, type DeltaRow, type PlacesNode } from './block.ts'

/** The places of the chunks of a block, by their numbers, as far as they are read. */
export type ReadChunks = ReadonlyMap<number, PlacesNode>

/** The chunks that steps have to look into: those of places that neither the delta tells nor the ends of the block. */
export function chunksNeeded(block: Block, steps: readonly TreeStep[]): ReadonlySet<number> {
  const needed = new Set<number>()
  for (const { place } of steps) {
    const chunk = chunkOf(block, place)
    const isBehind = block.last === undefined || comparePlaces(place, block.last) > 0
    if (chunk >= 0 && !isBehind && deltaAt(block.delta, place).found === undefined) needed.add(chunk)
  }
  return needed
}

/** A block after steps; undefined where they change nothing. */
export function editBlock(block: Block, steps: readonly TreeStep[], chunks: ReadChunks): Block | undefined {
  const delta = [...block.delta]
  let buried: readonly Place[] = block.buried
  let isChanged = false
  /** Where changed rows were before a step took them away, which no chunk that is read has to tell. */
  const known = new Map(delta.map((row) => [placeText(row.place), row]))
  for (const step of steps) {
    const isBuried = buried.some((each) => comparePlaces(each, step.place) === 0)
    if (step.op === 'fill' && isBuried) continue
    if (step.op === 'bury' && !isBuried) [buried, isChanged] = [[...buried, step.place], true]
    if (step.op === 'add' && isBuried) buried = buried.filter((each) => comparePlaces(each, step.place) !== 0)
    if (changeDelta(delta, step, () => known.get(placeText(step.place)) ?? rowOf(block, step.place, chunks)))
      isChanged = true
  }
  return isChanged ? { ...block, delta, buried } : undefined
}

/** Does a step; false where it changes nothing. */
function changeDelta(
  delta: DeltaRow[],
  { op, place, cell }: TreeStep,
  locate: () => Pick<DeltaRow, 'row' | 'isBase'>,
): boolean {
  const { at, found } = deltaAt(delta, place)
  const { row, isBase } = found ?? locate()
  const isThere = found === undefined ? isBase : found.cell !== undefined
  if (op === 'fill' && (isThere || found !== undefined)) return false
  if (op === 'remove' || op === 'bury') {
    if (!isThere || (op === 'remove' && found !== undefined && found.cell !== cell)) return false
    if (isBase) delta.splice(at, found === undefined ? 0 : 1, { place, row, isBase, cell: undefined })
    else delta.splice(at, 1)
    return true
  }
  if (found?.cell === cell) return false
  delta.splice(at, found === undefined ? 0 : 1, { place, row, isBase, cell })
  return true
}

/** Where a place is among changed rows, or belongs. */
function deltaAt(
  delta: readonly DeltaRow[],
  place: Place,
): { readonly at: number; readonly found: DeltaRow | undefined } {
  let [low, high] = [0, delta.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (comparePlaces((delta[middle] as DeltaRow).place, place) < 0) low = middle + 1
    else high = middle
  }
  const found = delta[low]
  return { at: low, found: found !== undefined && comparePlaces(found.place, place) === 0 ? found : undefined }
}

/** The row in columns that has a place, or before which it comes. */
export function rowOf(block: Block, place: Place, chunks: ReadChunks): Pick<DeltaRow, 'row' | 'isBase'> {
  const chunk = chunkOf(block, place)
  if (chunk < 0) return { row: 0, isBase: false }
  if (block.last === undefined || comparePlaces(place, block.last) > 0) return { row: block.rows, isBase: false }
  const { places } = checkedChunk(block, chunk, chunks.get(chunk))
  let at = places.findIndex((each) => comparePlaces(each, place) >= 0)
  if (at < 0) at = places.length
  const found = places[at]
  return { row: chunk * block.chunkRows + at, isBase: found !== undefined && comparePlaces(found, place) === 0 }
}

/** @throws {Torn} for a chunk that is not there, or of another version than the block tells. */
export function checkedChunk(block: Block, chunk: number, node: PlacesNode | undefined): PlacesNode {
  const { version } = block.chunks[chunk] ?? {}
  if (node !== undefined && node.born === block.born && node.version === version) return node
  throw new Torn(`the block ${block.fence} has places of another write`)
}
