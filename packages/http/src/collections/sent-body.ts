import type { InputIssue, Item } from 'lapidary'
import { readJsonObject } from '../body.ts'
import { unprocessable } from '../problem.ts'
import { sentItem } from './item-json.ts'
import { takesNull } from './json-schema.ts'
import type { View } from './view.ts'

/** What a body is for: a new item, one in the place of another, or some new values. */
export type Sent = 'create' | 'replace' | 'patch'

/**
 * Reads a body, and refuses attributes that the caller may not set; the collection's own schema checks the rest.
 *
 * @throws {HttpProblem} `unsupported_media_type`, `too_large`, `bad_request`, `unprocessable`.
 */
export async function readSentItem(view: View, request: Request, sent: Sent): Promise<Item> {
  const body = await readJsonObject(request)
  requireSendable(view, body, sent)
  const item = sentItem(view.collection, body)
  if (sent === 'patch') return withRemovals(view, item)
  const kept = keptNames(view)
  return Object.fromEntries(Object.entries(item).filter(([name]) => !kept.includes(name)))
}

/** @throws {HttpProblem} `unprocessable` for attributes that the caller may not set. */
export function requireSendable(view: View, body: Item, sent: Sent): void {
  const errors = Object.keys(body).flatMap((name): InputIssue[] => {
    const message = problemOf(view, name, sent) ?? nullProblem(view, name, body[name])
    return message === undefined ? [] : [{ path: name, message }]
  })
  if (errors.length > 0) throw unprocessable('the body was refused', errors)
}

function problemOf(view: View, name: string, sent: Sent): string | undefined {
  const { collection, schemas, hidden, fixed } = view
  const isKnown = Object.hasOwn(schemas.input.properties, name) || (!schemas.isTold && !hidden.has(name))
  if (hidden.has(name) || !isKnown) return 'is not known here'
  if (fixed.has(name) && sent !== 'replace') return 'may not be set by this caller'
  if (sent === 'patch' && name === collection.id) return 'can’t be changed: it is the item’s address'
  // A client that puts back what it has read sends these too; the server goes on counting.
  if (sent !== 'replace' && keptNames(view).includes(name)) return 'is kept by the server; leave it out'
  return undefined
}

/** Null is no value of what the server makes where it is left out. */
function nullProblem({ collection: { id, order } }: View, name: string, value: unknown): string | undefined {
  const isMade = name === id || (name === order.attribute && order.type === 'time')
  return isMade && value === null ? 'must not be null; leave it out to have it made' : undefined
}

/** Returns the attributes that the library keeps. */
export function keptNames({ collection: { version, updatedAt } }: View): readonly string[] {
  return [version, updatedAt].filter((name) => name !== undefined)
}

/** Null removes an attribute that can't be null, as in a JSON merge patch. */
function withRemovals({ schemas }: View, changes: Item): Item {
  const { properties } = schemas.input
  return Object.fromEntries(
    Object.entries(changes).map(([name, value]) => [
      name,
      value === null && Object.hasOwn(properties, name) && !takesNull(properties[name]) ? undefined : value,
    ]),
  )
}
