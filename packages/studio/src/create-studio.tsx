import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { securityHeaders } from 'lapidary-http/internal/pages'
import { adviserRoutes } from './adviser/adviser-routes.tsx'
import { browseRoutes } from './browse/browse-routes.tsx'
import { createCountedLists } from './browse/counted-lists.ts'
import { itemRoutes } from './item/item-routes.tsx'
import { createJobs, type Jobs } from './operate/jobs.ts'
import { operateRoutes } from './operate/operate-routes.tsx'
import { createSessionMemory } from './session-memory.ts'
import type { StudioOptions } from './studio-options.ts'
import { type Access, requireAccess } from './web/access.ts'
import { ASSETS } from './web/assets.ts'
import { problemOf } from './web/problem.tsx'
import { messagePage, type StudioContext } from './web/studio-context.tsx'

/** A form holds an item as JSON: DynamoDB takes 400 KB of one, and an address writes a byte as three. */
const MOST_BYTES = 4 * 1024 * 1024

/** Makes the pages of a studio, without a server. */
export function createStudio(options: StudioOptions, access: Access): { readonly app: Hono; readonly jobs: Jobs } {
  const jobs = createJobs()
  const collections = Object.entries(options.collections)
  const studio: StudioContext = {
    ...{ options, jobs },
    memories: new Map(collections.map(([name, { collection }]) => [name, createSessionMemory(collection.id)])),
    countedLists: new Map(collections.map(([name]) => [name, createCountedLists()])),
  }
  const app = new Hono()
  // Items may be secret, so a browser keeps nothing but style and script.
  app.use(securityHeaders({ 'Cache-Control': 'no-store' }))
  app.route('/', ASSETS.routes())
  app.use(requireAccess(access, (context, status, message) => messagePage(context, studio, status, message, true)))
  app.use(
    bodyLimit({
      maxSize: MOST_BYTES,
      onError: (context) => messagePage(context, studio, 413, 'The form is larger than any item.'),
    }),
  )
  app.route('/', browseRoutes(studio))
  app.route('/', itemRoutes(studio))
  app.route('/', adviserRoutes(studio))
  app.route('/', operateRoutes(studio))
  app.notFound((context) => messagePage(context, studio, 404, 'There is no such page.'))
  app.onError((error, context) => {
    const problem = problemOf(error)
    if (problem !== undefined) return messagePage(context, studio, problem.status, problem.message)
    options.onError?.(error)
    return messagePage(context, studio, 500, 'The studio made a mistake; the terminal that it runs in says which.')
  })
  return { app, jobs }
}
