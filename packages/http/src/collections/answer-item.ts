import { createHash } from 'node:crypto'
import type { Context } from 'hono'
import { type ChangeOptions, type CreateOptions, type Item, LapidaryError, shown } from 'lapidary'
import { entityTag, namesTag, parseTagCondition } from '../entity-tags.ts'
import { pathSegment } from '../links.ts'
import { allowedVersion, checkedIdempotencyKey, isConditional } from '../preconditions.ts'
import { HttpProblem } from '../problem.ts'
import { tellWritten } from '../written.ts'
import { type Access, mayRead, requireWritable } from './access.ts'
import { contentDigest, shownItem } from './item-json.ts'
import { refusedWrite } from './refusals.ts'
import type { Admitted } from './served.ts'
import { cacheControl } from './view.ts'

/** Changes that meet a change of the scope are planned anew this many times. */
const MOST_TRIES = 5

/** Answers one item, or that it is as it was. */
export async function answerGet(context: Context, admitted: Admitted, id: string): Promise<Response> {
  const known = parseTagCondition('If-None-Match', context.req.header('if-none-match'))
  const item = await readItem(admitted, id)
  const { tag, body } = tagged(admitted, item)
  context.header('ETag', tag)
  context.header('Cache-Control', cacheControl(admitted.access))
  return namesTag(known, tag) ? context.body(null, 304) : context.json(body)
}

/** Stores a new item and answers it, with its address. */
export async function answerCreate(context: Context, path: string, admitted: Admitted, sent: Item): Promise<Response> {
  const idempotencyKey = ownKey(admitted.access, checkedIdempotencyKey(context.req.header('idempotency-key')))
  return createItem(context, { path, admitted, item: withOwnScope(admitted, sent) }, { idempotencyKey })
}

/** A new item, and where it is going to be. */
interface NewItem {
  readonly path: string
  readonly admitted: Admitted
  readonly item: Item
}

/** Stores an item where the caller may write. */
export async function createItem(
  context: Context,
  { path, admitted, item }: NewItem,
  options: CreateOptions = {},
): Promise<Response> {
  const { served, access } = admitted
  const { scope, id } = served.collection
  requireWritable(access, scope.name, item[scope.attribute])
  const created = await served.client.create(item as never, options).catch(refusing(admitted))
  const { tag, body } = tagged(admitted, created as Item)
  context.header('Location', `${path}/${pathSegment(String((created as Item)[id]))}`)
  context.header('ETag', tag)
  tellWritten(context, String((created as Item)[id]))
  return context.json(body, 201)
}

/** Changes some attributes of an item. */
export function answerPatch(context: Context, admitted: Admitted, id: string, changes: Item): Promise<Response> {
  return answerChange(context, admitted, id, changes, (options) =>
    admitted.served.client.patch(id, changes as never, options),
  )
}

/** Deletes an item. */
export async function answerDelete(context: Context, admitted: Admitted, id: string): Promise<Response> {
  await changed(context, admitted, id, {}, (options) => admitted.served.client.delete(id, options))
  tellWritten(context, id)
  return context.body(null, 204)
}

type Make<T> = (options: ChangeOptions<Item>, before: Item | undefined) => Promise<T>

/** Makes a change of an item, and answers what it is then. */
export async function answerChange(
  context: Context,
  admitted: Admitted,
  id: string,
  sent: Item,
  make: Make<unknown>,
): Promise<Response> {
  const item = (await changed(context, admitted, id, sent, make)) as Item
  const { tag, body } = tagged(admitted, item)
  context.header('ETag', tag)
  tellWritten(context, id)
  return context.json(body)
}

/** Makes a change where the caller may make it and its conditions hold, anew where the item has moved meanwhile. */
async function changed<T>(context: Context, admitted: Admitted, id: string, sent: Item, make: Make<T>): Promise<T> {
  const { access, served, view } = admitted
  const { scope } = served.collection
  const isLimited = access.reads !== undefined || access.writes !== undefined
  if (Object.hasOwn(sent, scope.attribute)) requireWritable(access, scope.name, sent[scope.attribute])
  for (let tries = 1; ; tries++) {
    const before = isLimited || needsItem(admitted) ? await readItem(admitted, id) : undefined
    if (isLimited) requireWritable(access, scope.name, before?.[scope.attribute])
    const { options, asked } = await conditionsOf(context, admitted, id, before)
    const guard = isLimited ? { [scope.attribute]: before?.[scope.attribute] } : {}
    const ifs = { ...options.if, ...guard }
    try {
      return await make({ ...options, ...(Object.keys(ifs).length === 0 ? {} : { if: ifs }) }, before)
    } catch (error) {
      if (error instanceof LapidaryError && error.code === 'condition_failed') {
        if (!asked && tries < MOST_TRIES) continue
        throw new LapidaryError(
          'version_conflict',
          `the item has changed meanwhile; read it again and repeat the change`,
        )
      }
      throw refusedWrite(view, error)
    }
  }
}

/** Tells whether a change goes by the item as it is: to keep what the caller can't see or set. */
function needsItem({ view }: Admitted): boolean {
  return view.hidden.size > 0 || view.fixed.size > 0
}

/** Returns the conditions that a request's headers name, as the library takes them. */
async function conditionsOf(
  { req }: Context,
  admitted: Admitted,
  id: string,
  before: Item | undefined,
): Promise<{ readonly options: ChangeOptions<Item>; readonly asked: boolean }> {
  const { version, name } = admitted.served.collection
  if (version !== undefined) {
    const current = async (): Promise<number> => Number((before ?? (await readItem(admitted, id)))[version])
    const ifVersion = await allowedVersion(req, name, current)
    return { options: ifVersion === undefined ? {} : { ifVersion }, asked: ifVersion !== undefined }
  }
  if (req.header('if-match') === undefined && req.header('if-none-match') === undefined)
    return { options: {}, asked: false }
  const item = before ?? (await readItem(admitted, id))
  const { tag } = tagged(admitted, item)
  if (!isConditional(req, name, tag)) return { options: {}, asked: false }
  if (admitted.served.collection.output !== undefined)
    throw new HttpProblem(
      'not_implemented',
      `${name} has an output of its own and no version, so no condition can be checked`,
    )
  const seen = Object.entries(item).filter(([attribute]) => !admitted.view.hidden.has(attribute))
  return { options: { if: Object.fromEntries(seen) }, asked: true }
}

/** @throws {LapidaryError} `not_found`, also for an item of a scope that the caller may not read. */
async function readItem({ served, access }: Admitted, id: string): Promise<Item> {
  const item = (await served.client.get(id)) as Item
  const { scope, name } = served.collection
  if (mayRead(access, item[scope.attribute])) return item
  throw new LapidaryError('not_found', `there is no ${name} with the id ${shown(id)}`)
}

/** Fills in the scope where the caller has one only. */
export function withOwnScope({ access, served }: Admitted, item: Item): Item {
  const { attribute } = served.collection.scope
  const [only, ...others] = access.writes ?? access.reads ?? []
  if (only === undefined || others.length > 0 || Object.hasOwn(item, attribute)) return item
  return { ...item, [attribute]: only }
}

/** Keys of one caller are no keys of another. */
function ownKey({ who, reads }: Access, key: string | undefined): string | undefined {
  const caller = who ?? reads
  if (key === undefined || caller === undefined) return key
  return createHash('sha256')
    .update(JSON.stringify([caller, key]))
    .digest('base64url')
}

function refusing({ view }: Admitted): (error: unknown) => never {
  return (error) => {
    throw refusedWrite(view, error)
  }
}

/**
 * Returns what the caller sees of an item, and its strong tag. The version by itself does not tell whether an item is as it was: a change may keep
 * it, and an item that was deleted and created again has the first one again.
 */
function tagged({ served, view }: Admitted, item: Item): { readonly tag: string; readonly body: Item } {
  const { version } = served.collection
  const body = shownItem(view, item)
  const digest = contentDigest(body)
  const number = version === undefined ? undefined : item[version]
  return { body, tag: typeof number === 'number' ? entityTag(number, digest) : `"${digest}"` }
}
