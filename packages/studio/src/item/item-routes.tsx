import { type Context, Hono } from 'hono'
import { itemPath, listPath } from '../browse/address.ts'
import { visible } from '../browse/value.tsx'
import { type Problem, problemOf } from '../web/problem.tsx'
import { collectionNamed, htmlPage, type NamedCollection, type StudioContext } from '../web/studio-context.tsx'
import { DeletePage } from './delete-page.tsx'
import { typedItem } from './edit.ts'
import { ItemPage } from './item-page.tsx'
import { jsonText } from './json-text.ts'
import { entriesOfItem } from './lists-of-item.ts'
import { NewItemPage, newItemOf } from './new-item.tsx'
import { readItem } from './read-item.ts'
import { deleteItem, saveItem } from './write-item.ts'

interface Told {
  readonly typed?: string
  readonly problem?: Problem
  readonly done?: string
}

/** The pages of one item: shown, changed, made and deleted. */
export function itemRoutes(studio: StudioContext): Hono {
  const routes = new Hono()
  const named = (context: Context): NamedCollection | undefined =>
    collectionNamed(studio, context.req.param('name') ?? '')

  const itemPage = async (context: Context, of: NamedCollection, id: string, told: Told): Promise<Response> => {
    const found = await readItem(of, id)
    const entries = found.item === undefined ? undefined : await entriesOfItem(of, found.item, found.stored)
    const page = <ItemPage {...of} found={found} entries={entries} {...told} />
    return htmlPage(
      context,
      studio,
      { title: visible(id), name: of.name, part: 'browse' },
      page,
      told.problem?.status ?? 200,
    )
  }

  routes.get('/c/:name/item', (context) => {
    const of = named(context)
    if (of === undefined) return context.notFound()
    const done = { saved: 'Saved.', same: 'Nothing was changed: the text says what the item is.', created: 'Created.' }
    const told = done[(context.req.query('done') ?? '') as keyof typeof done]
    return itemPage(context, of, context.req.query('id') ?? '', told === undefined ? {} : { done: told })
  })

  routes.post('/c/:name/item', async (context) => {
    const of = named(context)
    if (of === undefined) return context.notFound()
    const id = context.req.query('id') ?? ''
    const { item: typed, seen } = await textsOf(context, ['item', 'seen'])
    try {
      const isChanged = await saveItem(of, id, typed, seen)
      return context.redirect(`${itemPath(of.name, id)}&done=${isChanged ? 'saved' : 'same'}`, 303)
    } catch (error) {
      const problem = refusedBy(error)
      // What another has made of it is shown, and not written over by what was typed.
      return itemPage(context, of, id, problem.code === 'version_conflict' ? { problem } : { typed, problem })
    }
  })

  const deletePage = async (
    context: Context,
    of: NamedCollection,
    id: string,
    problem?: Problem,
  ): Promise<Response> => {
    const page = <DeletePage name={of.name} found={await readItem(of, id)} problem={problem} />
    return htmlPage(
      context,
      studio,
      { title: `Delete ${visible(id)}`, name: of.name, part: 'browse' },
      page,
      problem?.status ?? 200,
    )
  }

  routes.get('/c/:name/delete', (context) => {
    const of = named(context)
    return of === undefined ? context.notFound() : deletePage(context, of, context.req.query('id') ?? '')
  })

  routes.post('/c/:name/delete', async (context) => {
    const of = named(context)
    if (of === undefined) return context.notFound()
    const id = context.req.query('id') ?? ''
    const { seen } = await textsOf(context, ['seen'])
    try {
      const { item } = await readItem(of, id)
      await deleteItem(of, id, seen)
      const scope = item?.[of.collection.scope.attribute]
      return context.redirect(listPath(of.name, new URLSearchParams(typeof scope === 'string' ? { scope } : {})), 303)
    } catch (error) {
      const problem = refusedBy(error)
      if (problem.status === 404) throw error
      return deletePage(context, of, id, problem)
    }
  })

  const newPage = (context: Context, of: NamedCollection, text: string, problem?: Problem): Promise<Response> => {
    const page = <NewItemPage name={of.name} collection={of.collection} text={text} problem={problem} />
    return htmlPage(context, studio, { title: 'New item', name: of.name, part: 'browse' }, page, problem?.status ?? 200)
  }

  routes.get('/c/:name/new', (context) => {
    const of = named(context)
    if (of === undefined) return context.notFound()
    return newPage(context, of, jsonText(newItemOf(of.collection, context.req.query('scope')), 2))
  })

  routes.post('/c/:name/new', async (context) => {
    const of = named(context)
    if (of === undefined) return context.notFound()
    const { item: typed } = await textsOf(context, ['item'])
    try {
      const created = (await of.client.create(typedItem(typed) as never)) as Readonly<Record<string, unknown>>
      return context.redirect(`${itemPath(of.name, String(created[of.collection.id]))}&done=created`, 303)
    } catch (error) {
      return newPage(context, of, typed, refusedBy(error))
    }
  })
  return routes
}

/** Returns what was refused and why, or throws on what is no visitor's fault. */
function refusedBy(error: unknown): Problem {
  const problem = problemOf(error)
  if (problem === undefined) throw error
  return problem
}

/** Reads fields of a form as texts. A browser sends the ends of lines as two characters. */
async function textsOf<N extends string>(context: Context, names: readonly N[]): Promise<Readonly<Record<N, string>>> {
  const form = await context.req.parseBody()
  const texts = names.map((name) => {
    const value = form[name]
    return [name, typeof value === 'string' ? value.replaceAll('\r\n', '\n') : ''] as const
  })
  return Object.fromEntries(texts) as Record<N, string>
}
