import { isDeepStrictEqual } from 'node:util'
import type { Context } from 'hono'
import { type Item, LapidaryError } from 'lapidary'
import { parseTagCondition } from '../entity-tags.ts'
import { unprocessable } from '../problem.ts'
import { answerChange, createItem, withOwnScope } from './answer-item.ts'
import { plainJson } from './item-json.ts'
import { requireSendable } from './sent-body.ts'
import type { Admitted } from './served.ts'

/** A whole item that was put at its address. */
export interface Put {
  readonly id: string
  readonly sent: Item
  /** The path of the collection. */
  readonly path: string
  readonly admitted: Admitted
  /** Lets the caller in for a new item, or refuses. */
  readonly admitNew: () => Promise<Admitted>
}

/** Puts a whole item in the place of the one with its id, or stores a new one where there is none. */
export async function answerPut(context: Context, put: Put): Promise<Response> {
  const { id, sent, admitted } = put
  const { collection } = admitted.served
  if ((sent[collection.id] ?? id) !== id)
    throw unprocessable('the body was refused', [
      { path: collection.id, message: 'must be the id of the address, or be left out' },
    ])
  const missing = await replaced(context, put).catch(notFound)
  if (!(missing instanceof LapidaryError)) return missing
  const created = await answerNew(context, put, missing).catch(alreadyExists)
  if (!(created instanceof LapidaryError)) return created
  // Another caller was first; or the item is of a scope that this one may not read, and is not there for it.
  return replaced(context, put)
}

/** Replaces an item; what the caller can't see or set stays as it is. */
function replaced(context: Context, { id, sent, admitted }: Put): Promise<Response> {
  const { served, view } = admitted
  const { collection, client } = served
  const item = withOwnScope(admitted, sent)
  return answerChange(context, admitted, id, item, (options, before) => {
    requireUnchanged(view.fixed, item, before)
    const stays = Object.fromEntries(keptAttributes(admitted).map((name) => [name, before?.[name]]))
    const kept = Object.entries(stays).filter(([, value]) => value !== undefined)
    const guarded = Object.keys(stays).length === 0 ? options : { ...options, if: { ...options.if, ...stays } }
    return client.replace({ ...item, ...Object.fromEntries(kept), [collection.id]: id } as never, guarded)
  })
}

/** Stores a new item under the id of the address. */
async function answerNew(
  context: Context,
  { id, sent, path, admitNew }: Put,
  missing: LapidaryError,
): Promise<Response> {
  const [match] = ['If-Match', 'If-None-Match'].map((name) => parseTagCondition(name, context.req.header(name)))
  if (match !== undefined)
    throw new LapidaryError('version_conflict', `${missing.message}, so it has no version that If-Match could name`)
  const admitted = await admitNew()
  const { collection } = admitted.served
  // A caller who may not choose ids can't put a new item at one.
  if (admitted.view.fixed.has(collection.id)) throw missing
  const item = { ...withOwnScope(admitted, sent), [collection.id]: id }
  requireSendable(admitted.view, item, 'create')
  return createItem(context, { path, admitted, item })
}

/** Returns the attributes that stay as they are, whatever a caller puts in the place of an item. */
function keptAttributes({ view, served }: Admitted): readonly string[] {
  const { attributes } = served.collection
  const names = [...new Set([...view.hidden, ...view.fixed])]
  return attributes === undefined ? names : names.filter((name) => Object.hasOwn(attributes, name))
}

/** A client that puts back what it has read sends what it may not set, too. */
function requireUnchanged(fixed: ReadonlySet<string>, item: Item, before: Item | undefined): void {
  const errors = [...fixed]
    .filter((name) => Object.hasOwn(item, name) && !isDeepStrictEqual(plainJson(item[name]), plainJson(before?.[name])))
    .map((path) => ({ path, message: 'may not be set by this caller' }))
  if (errors.length > 0) throw unprocessable('the body was refused', errors)
}

const notFound = caught('not_found')
const alreadyExists = caught('already_exists')

/** Makes a function that gives back an error of one code, and throws any other. */
function caught(code: LapidaryError['code']): (error: unknown) => LapidaryError {
  return (error) => {
    if (error instanceof LapidaryError && error.code === code) return error
    throw error
  }
}
