import type { Context } from 'hono'
import { createWorkLimit, HttpProblem, readBytes, readText, type WorkLimit } from 'lapidary-http/internal'
import type { Person } from '../people/person.ts'
import { MAX_PHOTO_BYTES, MOST_PHOTOS } from '../photos/photo.ts'

/** The most large forms that are worked on at once, each of which is in memory, and the most that wait, which are not read yet. */
const limitForms = createWorkLimit(4, 32)
/** The people of whom a large form is under way: who sends slowly keeps none but their own next one waiting. */
const senders = new Set<string>()

/** Returns the limit of what is done with a form: photos have one of their own, since they take long, and nothing else should wait for them. */
export function besidePhotos(limitWork: WorkLimit, photos: readonly Uint8Array[]): WorkLimit {
  return photos.length > 0 ? (work) => work() : limitWork
}

/** What a form with photos holds. */
export interface PhotoForm {
  readonly fields: URLSearchParams
  readonly photos: readonly Uint8Array[]
}

interface PhotoFormOptions {
  /** The most bytes of the fields; `too_large` beyond. */
  readonly most: number
  /** Who may send photos with it; undefined = of a stranger nothing large is read. */
  readonly sender: Pick<Person, 'id'> | undefined
}

/** Answers a form that a browser sent, with its photos. What is no form of ours has no fields. */
export async function answerPhotoForm(
  c: Context,
  { most, sender }: PhotoFormOptions,
  answer: (form: PhotoForm) => Promise<Response>,
): Promise<Response> {
  const type = c.req.header('Content-Type') ?? ''
  if (!/^multipart\/form-data\s*;/i.test(type)) {
    const body = await readText(c.req.raw, most)
    const isForm = type.startsWith('application/x-www-form-urlencoded')
    return answer({ fields: new URLSearchParams(isForm ? body : ''), photos: [] })
  }
  const isSmall = Number(c.req.header('Content-Length') ?? Number.NaN) <= most
  if (sender === undefined || isSmall) return answer(await readParts(c, type, most, sender !== undefined))
  const { id } = sender
  if (senders.has(id))
    throw new HttpProblem('rate_limited', 'your last form is still under way', { headers: { 'retry-after': '5' } })
  senders.add(id)
  try {
    return await limitForms(async () => answer(await readParts(c, type, most + MOST_PHOTOS * MAX_PHOTO_BYTES, true)))
  } finally {
    senders.delete(id)
  }
}

async function readParts(c: Context, type: string, most: number, takesPhotos: boolean): Promise<PhotoForm> {
  const bytes = await readBytes(c.req.raw, most)
  const form = await new Response(bytes, { headers: { 'content-type': type } }).formData().catch(() => undefined)
  if (form === undefined) throw new HttpProblem('bad_request', 'the body is no form')
  const fields = new URLSearchParams()
  const photos: Uint8Array[] = []
  for (const [name, value] of form) {
    if (typeof value === 'string') fields.append(name, value)
    // Browsers send an empty file where none was chosen.
    else if (name === 'photos' && value.size > 0 && takesPhotos) photos.push(new Uint8Array(await value.arrayBuffer()))
  }
  return { fields, photos }
}

/**
 * Reads the fields of a form that a browser sent.
 *
 * @param most Bytes; `too_large` beyond.
 */
export async function sentForm(c: Context, most: number): Promise<URLSearchParams> {
  return new URLSearchParams(await readText(c.req.raw, most))
}
