import type { Context } from 'hono'
import type { Child } from 'hono/jsx'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { CountedLists } from '../browse/counted-lists.ts'
import type { Jobs } from '../operate/jobs.ts'
import type { SessionMemory } from '../session-memory.ts'
import type { OpenCollection, StudioOptions } from '../studio-options.ts'
import { Document, type DocumentProps, type Frame } from './document.tsx'

/** What the routes of a studio share. */
export interface StudioContext {
  readonly options: StudioOptions
  readonly jobs: Jobs
  /** What is remembered of each collection. */
  readonly memories: ReadonlyMap<string, SessionMemory>
  /** Counts by columns of lists that were looked at. */
  readonly countedLists: ReadonlyMap<string, CountedLists>
}

/** A collection by the name in the address, with what is remembered of it. */
export interface NamedCollection extends OpenCollection {
  readonly name: string
  readonly memory: SessionMemory
  readonly countedLists: CountedLists
}

/** Returns the collection that an address names; undefined where there is none. */
export function collectionNamed(studio: StudioContext, name: string): NamedCollection | undefined {
  const { options } = studio
  const [memory, countedLists] = [studio.memories.get(name), studio.countedLists.get(name)]
  const found = Object.hasOwn(options.collections, name) ? options.collections[name] : undefined
  if (found === undefined || memory === undefined || countedLists === undefined) return undefined
  return { ...(found as OpenCollection), name, memory, countedLists }
}

/** Answers with a whole page. */
export async function htmlPage(
  context: Context,
  studio: StudioContext,
  {
    frame = frameOf(studio),
    ...props
  }: Omit<DocumentProps, 'frame' | 'children'> & { readonly frame?: Frame | undefined },
  page: Child,
  status: ContentfulStatusCode = 200,
): Promise<Response> {
  const html = await (
    <Document frame={frame} {...props}>
      {page}
    </Document>
  ).toString()
  return context.html(`<!doctype html>${html}`, status)
}

/**
 * Answers with a page that says one thing.
 *
 * @param isBare Whether the page may tell nothing of the database: who asks has no session.
 */
export function messagePage(
  context: Context,
  studio: StudioContext,
  status: ContentfulStatusCode,
  message: string,
  isBare = false,
): Promise<Response> {
  const page = (
    <div class="message">
      <p class="message-status">{status}</p>
      <h1>{message}</h1>
      {isBare ? (
        // A browser that came from another site sends the session's cookie with the next step only.
        <p>
          <a href="/">Try again</a>
        </p>
      ) : (
        <p>
          <a href="/">To the collections</a>
        </p>
      )}
    </div>
  )
  const frame = isBare ? { names: [], place: '', running: undefined } : undefined
  return htmlPage(context, studio, { title: String(status), frame }, page, status)
}

function frameOf({ options: { collections, place }, jobs }: StudioContext): Frame {
  const job = jobs.latest()
  return { names: Object.keys(collections), place, running: job?.endedAt === undefined ? job?.title : undefined }
}
