import { createHash, randomUUID } from 'node:crypto'
import type { TransactWriteItem, WriteRequest } from '@aws-sdk/client-dynamodb'
import { keyEntry, REVISION } from '../../../derived/guarded-write.ts'
import type { TargetKey } from '../../../derived/target-key.ts'
import type { Entry } from '../../../model/entry.ts'
import { LapidaryError } from '../../../model/errors.ts'
import { queryPages, wholePartition } from '../../../table/paging.ts'
import { readEntry } from '../../../table/read-entries.ts'
import type { TableClient } from '../../../table/table-client.ts'
import { writeRequests } from '../../../table/write-requests.ts'
import { comparePlaces, type Place, placeFrom, placeText } from '../../place.ts'
import type { ListEntry, ListsFilling } from '../../sorted-lists.ts'
import { untilMade } from '../../tree/apply.ts'
import { TOMBSTONES } from '../../tree/node.ts'
import type { Packed } from '../../tree/packing.ts'
import { numbering, type TreeStep } from '../../tree/steps.ts'
import { enterState, readState } from '../dynamodb/lists-state.ts'
import { namesEntry, namesKey, treePartition, treesPrefix } from '../dynamodb/nodes.ts'
import { transact } from '../dynamodb/transact.ts'
import { blockEntry, blockKey, blocksOf } from './blocks.ts'
import { editTail, type MarkerSettings } from './edit-tail.ts'

/** No group is called so: `~` is escaped in their names. */
const LOG = '~log'
const MARKERS = 'page markers'

/** A change that came while the entries were collected. The last one of an entry is right, whatever the scan saw. */
interface Logged {
  readonly key: TargetKey
  readonly revision: string
  readonly step: TreeStep
}

function logKey(namespace: string, generation: number, { group, place }: Omit<ListEntry, 'cell'>): TargetKey {
  const SK = createHash('sha256')
    .update(`${group}\u0000${placeText(place)}`)
    .digest('base64url')
  return { PK: treePartition(namespace, generation, LOG), SK }
}

/** Notes what became of each entry. */
export function logWrites(
  { tableName }: TableClient,
  namespace: string,
  generation: number,
  steps: readonly TreeStep[],
): readonly TransactWriteItem[] {
  return [...lastOfEach(namespace, generation, steps)].map(([, { key, step }]) => {
    const { op, group, cell, place } = step
    const list = op === 'add' ? cell : TOMBSTONES
    const Item = {
      '~g': { S: group },
      '~p': { S: placeText(place) },
      '~l': { S: list },
      [REVISION]: { S: randomUUID() },
    }
    return { Put: { TableName: tableName, Item: { ...keyEntry(key), ...Item } } }
  })
}

/** Takes away what was noted of entries that change anew. */
export function logRemovals(
  { tableName }: TableClient,
  namespace: string,
  generation: number,
  steps: readonly TreeStep[],
): readonly TransactWriteItem[] {
  return [...lastOfEach(namespace, generation, steps)].map(([, { key }]) => ({
    Delete: { TableName: tableName, Key: keyEntry(key) },
  }))
}

function lastOfEach(
  namespace: string,
  generation: number,
  steps: readonly TreeStep[],
): ReadonlyMap<string, { readonly key: TargetKey; readonly step: TreeStep }> {
  const keyed = steps.map((step) => ({ key: logKey(namespace, generation, step), step }))
  return new Map(keyed.map((each) => [each.key.SK, each]))
}

async function readLog(table: TableClient, namespace: string, generation: number): Promise<readonly Logged[]> {
  const logged: Logged[] = []
  const partition = wholePartition(treePartition(namespace, generation, LOG))
  for await (const { Items = [] } of queryPages(table, { ...partition, ConsistentRead: true })) {
    logged.push(...Items.map(loggedFrom))
  }
  return logged
}

function loggedFrom({ PK, SK, '~g': g, '~p': p, '~l': l, [REVISION]: revision }: Entry): Logged {
  const cell = l?.S ?? ''
  return {
    key: { PK: PK?.S ?? '', SK: SK?.S ?? '' },
    revision: revision?.S ?? '',
    step: {
      op: cell === TOMBSTONES ? 'bury' : 'add',
      ...{ group: g?.S ?? '', cell, place: placeFrom(p?.S ?? '') },
    },
  }
}

/** What is filled, and who is told once it is. */
export interface MarkersFilling {
  readonly namespace: string
  readonly generation: number
  readonly settings: MarkerSettings
  readonly clock: () => number
  readonly entered: () => void
}

/**
 * Collects what the scan saw in memory, since blocks are cut from the oldest entry on; writes them; and takes in what came
 * meanwhile.
 */
export function fillMarkers(
  table: TableClient,
  { namespace, generation, settings, clock, entered }: MarkersFilling,
): ListsFilling {
  const groups = new Map<string, Map<string, { readonly cell: string; readonly place: Place }>>()
  const groupOf = (name: string): Map<string, { readonly cell: string; readonly place: Place }> => {
    const group = groups.get(name) ?? new Map()
    groups.set(name, group)
    return group
  }
  return {
    async add(entries) {
      for (const { group, cell, place } of entries) groupOf(group).set(placeText(place), { cell, place })
    },
    async finish() {
      const { state, generation: current } = await readState(table, namespace)
      if (state !== 'filling' || current !== generation) {
        throw new LapidaryError('unavailable', 'another process began to fill the page index; this one stops')
      }
      const merged = new Map<string, string>()
      for (const { key, revision, step } of await readLog(table, namespace, generation)) {
        merged.set(key.SK, revision)
        if (step.op === 'add') groupOf(step.group).set(placeText(step.place), step)
        else groupOf(step.group).delete(placeText(step.place))
      }
      for (const [group, entries] of groups) {
        const partition = treePartition(namespace, generation, group)
        const sorted = [...entries.values()].sort((a, b) => comparePlaces(a.place, b.place))
        await writeRequests(table, groupPuts(partition, sorted, settings.every), MARKERS)
      }
      // From here on changes go into the blocks, and take away what was noted of their entries.
      await enterState(table, namespace, { state: 'settling', generation }, clock())
      for (const logged of await readLog(table, namespace, generation)) {
        if (merged.get(logged.key.SK) !== logged.revision) await takeIn(table, namespace, generation, logged, settings)
      }
      await enterState(table, namespace, { state: 'ready', generation }, clock())
      entered()
      const left = await readLog(table, namespace, generation)
      const removals = left.map(({ key }) => ({ DeleteRequest: { Key: keyEntry(key) } }))
      await writeRequests(table, removals, MARKERS)
    },
    isGivenUp({ PK }) {
      return PK.startsWith(treesPrefix(namespace)) && !PK.startsWith(treePartition(namespace, generation, ''))
    },
  }
}

/** Takes in a change that was noted after the blocks were cut, unless a later one of its entry has been taken in. */
function takeIn(
  table: TableClient,
  namespace: string,
  generation: number,
  { key, step }: Logged,
  settings: MarkerSettings,
): Promise<void> {
  return untilMade({ waiting: table, namespace }, async () => {
    const { tableName } = table
    const entry = await readEntry(table, keyEntry(key))
    if (entry === undefined) return 'made'
    const partition = treePartition(namespace, generation, step.group)
    const { writes } = await editTail(table, partition, [step], { ...settings, onDisorder: 'mend' })
    const taken = {
      ...{ TableName: tableName, Key: keyEntry(key), ConditionExpression: '#rev = :rev' },
      ...{ ExpressionAttributeNames: { '#rev': REVISION } },
      ExpressionAttributeValues: { ':rev': entry[REVISION] ?? { S: '' } },
    }
    return transact(table, [...writes, { Delete: taken }])
  })
}

/** What a group is written by: its blocks, made as they are asked for, then the names of its lists. */
export function* groupPuts(
  partition: string,
  entries: Iterable<{ readonly cell: string; readonly place: Place }>,
  every: number,
): Generator<WriteRequest, undefined> {
  const cells: string[] = []
  for (const block of blocksOf({ number: 0, before: new Map() }, packed(entries, numbering(cells)), every)) {
    yield put(blockKey(partition, block.number), blockEntry(block))
  }
  if (cells.length > 0) yield put(namesKey(partition), namesEntry(cells))
}

function* packed(
  entries: Iterable<{ readonly cell: string; readonly place: Place }>,
  numberOf: (cell: string) => number,
): Generator<Packed, undefined> {
  for (const { cell, place } of entries) yield { cell: numberOf(cell), place }
}

function put(key: TargetKey, entry: Entry): WriteRequest {
  return { PutRequest: { Item: { ...keyEntry(key), ...entry, [REVISION]: { S: randomUUID() } } } }
}
