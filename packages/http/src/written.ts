import type { Context, HonoRequest } from 'hono'
import { badRequest, type HttpProblem } from './problem.ts'

/** The header by which an answer to a write tells which item it was of, and a list is told of items to show as they are now. */
export const WRITTEN = 'Lapidary-Written'

const MOST_IDS = 10

/** Tells the writer what to send with the next list. */
export function tellWritten(context: Context, id: string): void {
  context.header(WRITTEN, encodeURIComponent(id))
}

/**
 * Reads the ids of items that the caller has written; undefined where none are named.
 *
 * @throws {HttpProblem} `bad_request`.
 */
export function writtenIn(req: HonoRequest): readonly string[] | undefined {
  const given = req.header(WRITTEN)
  if (given === undefined || given.trim() === '') return undefined
  const ids = given.split(',').map((part) => decoded(part.trim()))
  if (ids.length > MOST_IDS) throw refused(`names ${ids.length} items; send the last ${MOST_IDS}`)
  return ids
}

function refused(message: string): HttpProblem {
  return badRequest('the headers were refused', [{ path: WRITTEN, message }])
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw refused(`has ${JSON.stringify(part)}; send what the answers to writes had`)
  }
}
