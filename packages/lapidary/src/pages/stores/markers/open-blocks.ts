import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import { LapidaryError } from '../../../model/errors.ts'
import type { TableClient } from '../../../table/table-client.ts'
import { MOST_TRANSACTION_BYTES } from '../../../writes/item-writes.ts'
import type { LoadedLists } from '../../loaded-lists.ts'
import type { RankAnswer, RankQuestion } from '../../sorted-lists.ts'
import { createState, enterState, markMoves, readMark, readState } from '../../stores/dynamodb/lists-state.ts'
import { treePartition } from '../../stores/dynamodb/nodes.ts'
import { bytesOf, transact } from '../../stores/dynamodb/transact.ts'
import { applyChanges, byGroup, type ChangesTarget, passChanges } from '../../tree/apply.ts'
import { SeenTrees } from '../../tree/seen-trees.ts'
import { editTail, type MarkerSettings } from './edit-tail.ts'
import { fillMarkers, logRemovals, logWrites } from './filling.ts'
import { inspectBlocks } from './inspect-blocks.ts'
import { selectInBlocks } from './select-block.ts'
import { validateBlocks } from './validate.ts'

/** Steps of a transaction, each of which may write a block anew. */
const MOST_STEPS = 30
/** What one transaction takes, with room for what is written beside blocks. */
const MOST_BYTES = MOST_TRANSACTION_BYTES - 512 * 1024

export function openBlocks(
  table: TableClient,
  namespace: string,
  clock: () => number,
  settings: MarkerSettings,
  onMend: ((blocks: number) => void) | undefined,
): LoadedLists {
  const seen = new SeenTrees(() => readState(table, namespace), clock)
  const forget = (): void => seen.forget()

  /** What changes write, and how many blocks they mend. */
  interface BlocksEdit {
    readonly writes: readonly TransactWriteItem[]
    readonly mended: number
  }
  const target: ChangesTarget<BlocksEdit> = {
    mostSteps: MOST_STEPS,
    mark: (shardId) => readMark(table, namespace, shardId),
    async edit({ generation, state }, steps) {
      if (state === 'filling') return { writes: logWrites(table, namespace, generation, steps), mended: 0 }
      const edits = await Promise.all(
        [...byGroup(steps)].map(([group, own]) =>
          editTail(table, treePartition(namespace, generation, group), own, settings),
        ),
      )
      const mended = edits.reduce((sum, each) => sum + each.mended, 0)
      const writes = edits.flatMap((each) => each.writes)
      requireOneTransaction(writes)
      const settled = state === 'settling' ? logRemovals(table, namespace, generation, steps) : []
      return { writes: [...writes, ...settled], mended }
    },
    async commit({ writes, mended }, move) {
      const made = await transact(table, [...markMoves(table, namespace, move, clock()), ...writes])
      if (made === 'made' && mended > 0) onMend?.(mended)
      return made
    },
  }

  async function select(question: RankQuestion): Promise<RankAnswer> {
    const { generation } = seen
    const partitions = question.groups.map((group) => treePartition(namespace, generation, group))
    const [now, answer] = await Promise.all([seen.current(), selectInBlocks(table, partitions, question, false)])
    if (seen.isOther(now, generation)) return select(question)
    if (answer !== 'torn') return answer
    // Blocks were mended between two reads.
    const again = await selectInBlocks(table, partitions, question, true)
    if (again !== 'torn') return again
    throw new LapidaryError('unavailable', 'the page markers change too fast to be read; try again')
  }

  return {
    select,
    state: () => seen.shown(),
    async create() {
      await createState(table, namespace)
      forget()
    },
    async fill() {
      const generation = (await readState(table, namespace)).generation + 1
      await enterState(table, namespace, { state: 'filling', generation }, clock())
      forget()
      return fillMarkers(table, { namespace, generation, settings, clock, entered: forget })
    },
    forget,
    apply: (shardId, changes) => applyChanges(target, { waiting: table, namespace }, shardId, changes),
    pass: (shardId, to) => passChanges(target, { waiting: table, namespace }, shardId, to),
    async inspect() {
      const { generation } = await readState(table, namespace)
      return inspectBlocks(table, treePartition(namespace, generation, ''), settings.every)
    },
    async validate(group) {
      const { generation } = await readState(table, namespace)
      await validateBlocks(table, treePartition(namespace, generation, group), settings.every)
    },
  }
}

/** @throws {LapidaryError} `unprocessable` for blocks that are larger together than a transaction takes. */
function requireOneTransaction(writes: readonly TransactWriteItem[]): void {
  const bytes = bytesOf(writes)
  if (bytes <= MOST_BYTES) return
  throw new LapidaryError(
    'unprocessable',
    `page markers would write ${writes.length} blocks of ${bytes} bytes together for a change, and a transaction takes ${MOST_BYTES}: open pageMarkers with a smaller every, or take segments; the page index lacks the change until lapidary rebuild page-index`,
  )
}
