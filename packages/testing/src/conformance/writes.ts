import assert from 'node:assert/strict'
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'
import type { CollectionClient, Facets, Item, QueryInput } from 'lapidary'
import type { CollectionCase } from '../arbitraries/collections.ts'
import { changeOf, itemOf } from '../arbitraries/items.ts'
import { createFaultKit } from '../faults/fault-kit.ts'
import { beforeQueries } from '../faults/intercept.ts'
import type { Oracle } from '../oracle.ts'
import type { Setting } from './setting.ts'
import { assertPage, ids, readCasePage } from './walk.ts'

/** A write to make between two pages; `target` picks an item that is there. */
export type WriteCase =
  | { readonly kind: 'create'; readonly item: Item }
  | { readonly kind: 'delete'; readonly target: number }
  | { readonly kind: 'patch'; readonly target: number; readonly change: Item }

/** Draws writes of a case. */
export function writeCases(made: CollectionCase): fc.Arbitrary<readonly WriteCase[]> {
  const target = fc.nat(200)
  return fc.array(
    fc.oneof(
      fc.record({ kind: fc.constant('create' as const), item: itemOf(made) }),
      fc.record({ kind: fc.constant('delete' as const), target }),
      fc.record({ kind: fc.constant('patch' as const), target, change: changeOf(made) }),
    ),
    { minLength: 5, maxLength: 40, size: 'max' },
  )
}

/** Reads pages there and back with writes in between: each is the oracle's at that moment, and no item that stayed is lost. */
export async function assertStableUnderWrites(
  things: CollectionClient<Item, Facets>,
  oracle: Oracle<Item>,
  query: QueryInput,
  writes: readonly WriteCase[],
): Promise<void> {
  const used = new Set<unknown>(ids(oracle.matching({ scope: query.scope })))
  const moved = new Set<unknown>()
  const left = [...writes]
  for (const direction of ['next', 'previous'] as const) {
    const throughout = new Set(ids(oracle.matching(query)))
    const seen: unknown[] = []
    let cursor = direction === 'next' ? undefined : await lastCursor(things, oracle, query, seen)
    if (direction === 'previous' && cursor === undefined) return
    do {
      const page: Awaited<ReturnType<typeof assertPage>> = await assertPage(things, oracle, query, cursor)
      seen.push(...ids(page.items))
      cursor = page.cursors[direction] ?? undefined
      for (const write of left.splice(0, 3)) {
        const written = await applyWrite(things, oracle, write, used)
        if (isMove(write, query)) moved.add(written)
      }
      const now = new Set(ids(oracle.matching(query)))
      for (const id of throughout) if (!now.has(id)) throughout.delete(id)
    } while (cursor !== undefined)
    assertOnce(seen, moved)
    const lost = [...throughout].filter((id) => !seen.includes(id) && !moved.has(id))
    assert.deepEqual(lost, [], 'what was there throughout comes')
  }
}

/** Returns the last page's items and its cursor back. */
async function lastCursor(
  things: CollectionClient<Item, Facets>,
  oracle: Oracle<Item>,
  query: QueryInput,
  seen: unknown[],
): Promise<string | undefined> {
  let page = await assertPage(things, oracle, query)
  while (page.cursors.next !== null) page = await assertPage(things, oracle, query, page.cursors.next)
  seen.push(...ids(page.items))
  return page.cursors.previous ?? undefined
}

/** Tells whether a write moves its item within the order of a query: the walk may then meet it at both places, or at none. */
function isMove(write: WriteCase, { by }: QueryInput): boolean {
  return by === 'rank' && write.kind === 'patch' && 'rank' in write.change
}

function assertOnce(seen: readonly unknown[], moved: ReadonlySet<unknown>): void {
  const stayed = seen.filter((id) => !moved.has(id))
  assert.equal(new Set(stayed).size, stayed.length, 'nothing comes twice')
}

/** Makes writes, and returns the ids of the items that they were of. */
export async function writtenBy({ things, oracle }: Setting, writes: readonly WriteCase[]): Promise<readonly string[]> {
  const used = new Set<unknown>(ids(oracle.matching({})))
  const written = new Set<string>()
  for (const write of writes) {
    const id = await applyWrite(things, oracle, write, used)
    if (id !== undefined) written.add(String(id))
  }
  return [...written]
}

/** Makes a write in the table and in the oracle. An id is used once: created again, it would be another item. */
async function applyWrite(
  things: CollectionClient<Item, Facets>,
  oracle: Oracle<Item>,
  write: WriteCase,
  used: Set<unknown>,
): Promise<unknown> {
  if (write.kind === 'create') {
    if (used.has(write.item.id) || oracle.get(String(write.item.id)) !== undefined) return
    used.add(write.item.id)
    oracle.put(await things.create(write.item))
    return write.item.id
  }
  const target = existing(oracle, write.target)
  if (target === undefined) return
  if (write.kind === 'delete') {
    await things.delete(target)
    oracle.delete(target)
  } else oracle.put(await things.patch(target, write.change))
  return target
}

function existing(oracle: Oracle<Item>, target: number): string | undefined {
  const all = oracle.matching({ scope: '42' })
  const item = all[target % Math.max(1, all.length)]
  return item === undefined ? undefined : String(item.id)
}

/** Patches items between the queries of one page, and asserts that the page has each item once, in order, and every item that did not change. */
export async function moveBetweenRounds(
  { things, oracle, through }: Setting,
  client: DynamoDBClient,
  query: QueryInput,
  writes: readonly WriteCase[],
  random: () => number,
): Promise<void> {
  const untouched = new Set(ids(oracle.matching(query)))
  const moved = new Set<unknown>()
  const left = writes.filter((write) => write.kind === 'patch')
  const patchOne = async (): Promise<void> => {
    const write = left.pop()
    const target = write === undefined ? undefined : existing(oracle, write.target)
    if (write === undefined || target === undefined) return
    untouched.delete(target)
    if (isMove(write, query)) moved.add(target)
    oracle.put(await things.patch(target, write.change))
  }
  const faults = createFaultKit({ seed: Math.floor(random() * 2 ** 32), rates: { short: 0.8 } })
  const moving = through(beforeQueries(faults.dynamodb(client), patchOne))
  const seen: unknown[] = []
  let cursor: string | undefined
  do {
    const page = await readCasePage(moving, query, { cursor })
    seen.push(...ids(page.items))
    cursor = page.cursors.next ?? undefined
    assert.ok(seen.length <= 500, 'the walk ends')
  } while (cursor !== undefined)
  assertOnce(seen, moved)
  assert.deepEqual(
    [...untouched].filter((id) => !seen.includes(id)),
    [],
    'what did not change comes',
  )
}
