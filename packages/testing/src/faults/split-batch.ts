import { BatchGetItemCommand, type BatchWriteItemCommand } from '@aws-sdk/client-dynamodb'

/** A batch of either kind. */
export type Batch = BatchGetItemCommand | BatchWriteItemCommand

/** What a batch asks of one table: requests, or keys and how to read them. */
type OfTable = readonly unknown[] | { readonly Keys: readonly unknown[] }
type Items = Readonly<Record<string, OfTable>>

/** Sends some parts of a batch, counted from 0 over all tables, and answers that the others were not processed. */
export async function splitBatch(
  command: Batch,
  isTaken: (at: number) => boolean,
  send: (command: Batch) => Promise<unknown>,
): Promise<object> {
  const Command = command.constructor as new (input: object) => Batch
  const all = (command.input.RequestItems ?? {}) as Items
  const [taken, left] = [chosen(all, isTaken), chosen(all, (at) => !isTaken(at))]
  const isRead = command instanceof BatchGetItemCommand
  const unprocessed = isRead ? 'UnprocessedKeys' : 'UnprocessedItems'
  if (Object.keys(taken).length === 0) return { ...(isRead ? { Responses: {} } : {}), [unprocessed]: left }
  const answer = (await send(new Command({ ...command.input, RequestItems: taken }))) as Record<string, Items>
  return { ...answer, [unprocessed]: joined(left, answer[unprocessed] ?? {}) }
}

/** Returns the number of a batch's parts. */
export function sizeOfBatch({ input }: Batch): number {
  return Object.values((input.RequestItems ?? {}) as Items).reduce((sum, each) => sum + listOf(each).length, 0)
}

function listOf(of: OfTable): readonly unknown[] {
  return 'Keys' in of ? of.Keys : of
}

function withList(of: OfTable, list: readonly unknown[]): OfTable {
  return 'Keys' in of ? { ...of, Keys: list } : list
}

function chosen(all: Items, isChosen: (at: number) => boolean): Items {
  let at = 0
  const some: Record<string, OfTable> = {}
  for (const [table, of] of Object.entries(all)) {
    const list = listOf(of).filter(() => isChosen(at++))
    if (list.length > 0) some[table] = withList(of, list)
  }
  return some
}

function joined(a: Items, b: Items): Items {
  const all: Record<string, OfTable> = { ...a }
  for (const [table, of] of Object.entries(b)) {
    const own = all[table]
    all[table] = own === undefined ? of : withList(own, [...listOf(own), ...listOf(of)])
  }
  return all
}
