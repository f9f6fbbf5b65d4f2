import { LapidaryError, unknownText } from 'lapidary'
import type { NamedCollection } from '../web/studio-context.tsx'
import type { ShownBoard } from './scopes-page.tsx'

/** Scopes of a board that are shown: each asks for its count, half a read unit. */
const SHOWN = 10

/** Reads the ways into a collection: its boards, and its count where all scopes are counted together. Nothing is scanned. */
export async function readScopes({ collection, client }: NamedCollection): Promise<{
  readonly boards: readonly ShownBoard[]
  readonly total: number | null | undefined
  readonly listsAll: boolean
}> {
  const [boards, total, listsAll] = await Promise.all([
    Promise.all(collection.leaderboards.map(({ name }) => readBoard(client, name))),
    collection.statistics.across === undefined ? undefined : totalOf(client, undefined),
    canListAll(client),
  ])
  return { boards, total, listsAll }
}

type Client = NamedCollection['client']

async function readBoard(client: Client, name: string): Promise<ShownBoard> {
  const { entries, plan } = await client.leaderboard({ name: name as never, limit: SHOWN })
  if (entries === null) {
    const unknown = plan.notes.find((note) => note.kind === 'unknown')
    return {
      name,
      entries,
      reason: unknown?.kind === 'unknown' ? unknownText('leaderboard', unknown.reason) : plan.limits[0],
    }
  }
  const totals = await Promise.all(entries.map(({ scope }) => totalOf(client, scope)))
  return { name, entries: entries.map((entry, i) => ({ ...entry, total: totals[i] ?? null })), reason: undefined }
}

async function totalOf(client: Client, scope: string | undefined): Promise<number | null> {
  const { total } = await client.count((scope === undefined ? { by: [] } : { scope, by: [] }) as never)
  return total
}

/** Tells whether an index lists items of all scopes, by planning such a list. */
async function canListAll(client: Client): Promise<boolean> {
  try {
    await client.plan({} as never)
    return true
  } catch (error) {
    if (error instanceof LapidaryError || (error instanceof Error && error.name === 'LapidaryError')) return false
    throw error
  }
}
