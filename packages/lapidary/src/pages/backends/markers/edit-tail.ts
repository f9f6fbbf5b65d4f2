import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import { guardedWrite, keyEntry, REVISION } from '../../../derived/guarded-write.ts'
import { LapidaryError } from '../../../model/errors.ts'
import type { TableClient } from '../../../table/table-client.ts'
import { comparePlaces, type Place } from '../../place.ts'
import type { Packed } from '../../tree/packing.ts'
import { isEffective, isSame, numbering, type TreeStep } from '../../tree/steps.ts'
import { namesWrite, readNames } from '../dynamodb/nodes.ts'
import { type Block, blockEntry, blockKey, blocksOf, firstOf, isSameBlock, readNewest } from './blocks.ts'

/** How blocks are kept. */
export interface MarkerSettings {
  /** Entries of a block: each first one is stamped. */
  readonly every: number
  readonly onDisorder: 'mend' | 'refuse'
  /** Blocks before the last one that a change may write anew. */
  readonly mostMended: number
}

/** What has to be written so that a group has taken in some steps. */
export interface TailEdit {
  readonly writes: readonly TransactWriteItem[]
  /** Blocks that are written anew because a change was not at the end: the cost of mending. */
  readonly mended: number
}

const NONE: Block = { number: 0, before: new Map(), entries: [], stored: undefined }

/**
 * Reads from the newest block back to the one that the oldest of the steps falls in, does the steps, and cuts the entries into
 * blocks again. Of steps at the end that is one block.
 *
 * @throws {LapidaryError} `unprocessable` for what is refused.
 */
export async function editTail(
  table: TableClient,
  partition: string,
  steps: readonly TreeStep[],
  settings: MarkerSettings,
): Promise<TailEdit> {
  const lowest = steps.map(({ place }) => place).reduce((a, b) => (comparePlaces(a, b) <= 0 ? a : b))
  const [names, tail] = await Promise.all([readNames(table, partition), readTail(table, partition, lowest, settings)])
  const first = tail[0] ?? NONE
  const entries = tail.flatMap((block) => block.entries)
  const cells = [...names.cells]
  const numberOf = numbering(cells)
  for (const step of steps) {
    const last = entries.at(-1)
    const isAppended = step.op === 'add' && (last === undefined || comparePlaces(step.place, last.place) > 0)
    const isDone = step.op === 'bury' ? takeOut(entries, step.place) : isEffective(entries, step, numberOf)
    if (isDone && !isAppended && settings.onDisorder === 'refuse') throw refused(step)
  }
  const { tableName } = table
  const writes: TransactWriteItem[] = []
  let mended = 0
  const put = (number: number, stored: Block['stored'], after: Parameters<typeof blockEntry>[0] | undefined): void => {
    writes.push(guardedWrite(tableName, blockKey(partition, number), stored, after && blockEntry(after)))
  }
  const lastStored = tail.at(-1)
  let made = 0
  for (const block of blocksOf(first, entries, settings.every)) {
    const was = tail[made++]
    if (was !== undefined && isSame(was.entries, block.entries) && isSameCounts(was.before, block.before)) continue
    if (was !== undefined && was !== lastStored) mended += 1
    put(block.number, was?.stored, block)
  }
  for (const gone of tail.slice(made)) put(gone.number, gone.stored, undefined)
  if (writes.length === 0) return { writes, mended }
  // A new block is stamped by what is in the one before it, which has to stay as it is.
  const isLastWritten = made < tail.length || writes.some(({ Put }) => isOf(Put?.Item?.SK?.S, lastStored))
  if (lastStored?.stored !== undefined && !isLastWritten) {
    writes.push({
      ConditionCheck: {
        ...{ TableName: tableName, Key: keyEntry(blockKey(partition, lastStored.number)) },
        ConditionExpression: '#rev = :rev',
        ExpressionAttributeNames: { '#rev': REVISION },
        ExpressionAttributeValues: { ':rev': lastStored.stored[REVISION] ?? { S: '' } },
      },
    })
  }
  if (cells.length > names.cells.length) {
    writes.push(namesWrite(table, partition, { before: names, cells, full: undefined }))
  }
  return { writes, mended }
}

/** From the block that a place falls in to the newest, oldest first. */
async function readTail(
  table: TableClient,
  partition: string,
  place: Place,
  settings: MarkerSettings,
): Promise<readonly Block[]> {
  const { mostMended, onDisorder } = settings
  const reaches = (block: Block | undefined): boolean =>
    block === undefined || block.number === 0 || comparePlaces(firstOf(block), place) <= 0
  const { blocks: newest } = await readNewest(table, partition, 1, { consistent: true })
  const last = newest[0]
  if (last === undefined || reaches(last)) return newest
  if (onDisorder === 'refuse') throw refused({ place })
  const { blocks: older } = await readNewest(table, partition, mostMended, { before: last.number, consistent: true })
  const at = older.findIndex(reaches)
  if (older.slice(0, at < 0 ? undefined : at + 1).some(({ number }, i) => number !== last.number - 1 - i)) {
    // Unless blocks were removed between the two reads.
    const { blocks: now } = await readNewest(table, partition, 1, { consistent: true })
    if (!isSameBlock(last, now[0])) return readTail(table, partition, place, settings)
    throw damaged(partition)
  }
  if (at < 0) throw tooFar(place, mostMended)
  return [...older.slice(0, at + 1).reverse(), last]
}

/** Of whatever list it is. */
function takeOut(entries: Packed[], place: Place): boolean {
  const at = entries.findIndex((entry) => comparePlaces(entry.place, place) === 0)
  if (at >= 0) entries.splice(at, 1)
  return at >= 0
}

function isOf(sortKey: string | undefined, block: Block | undefined): boolean {
  return block !== undefined && sortKey === blockKey('', block.number).SK
}

function isSameCounts(a: ReadonlyMap<number, number>, b: ReadonlyMap<number, number>): boolean {
  return a.size === b.size && [...a].every(([cell, count]) => b.get(cell) === count)
}

const REBUILD = 'the page index lacks it until lapidary rebuild page-index'

function refused({ place }: Pick<TreeStep, 'place'>): LapidaryError {
  return new LapidaryError(
    'unprocessable',
    `page markers take in only what is newer than all they have, and ${place.member} is not; ${REBUILD}`,
  )
}

function damaged(partition: string): LapidaryError {
  const message = `the page markers of ${partition} lack a block: run lapidary rebuild page-index`
  return new LapidaryError('page_index_damaged', message, { details: { partition } })
}

function tooFar({ member }: Place, most: number): LapidaryError {
  return new LapidaryError(
    'unprocessable',
    `page markers take in a change at most ${most} blocks before the newest, and ${member} is further back; ${REBUILD}`,
  )
}
