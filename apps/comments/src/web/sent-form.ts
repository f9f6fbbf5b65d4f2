import type { Context } from 'hono'
import { badRequest, createWorkLimit, readBytes, readText } from 'lapidary-http/internal'
import { MAX_PHOTO_BYTES, MOST_PHOTOS } from '../photos/photo.ts'

/** The most forms with photos that are received at once: each is in memory. */
const limitForms = createWorkLimit(4)

/** What a form with photos holds. */
export interface PhotoForm {
  readonly fields: URLSearchParams
  readonly photos: readonly Uint8Array[]
}

/**
 * Reads the fields of a form that a browser sent, and its photos. What is no form of ours has no fields.
 *
 * @param most Bytes of the fields; `too_large` beyond.
 * @param takesPhotos Whether there may be photos: they are large, and are not read of everybody.
 */
export async function sentPhotoForm(c: Context, most: number, takesPhotos: boolean): Promise<PhotoForm> {
  const type = c.req.header('Content-Type') ?? ''
  if (!/^multipart\/form-data\s*;/i.test(type)) {
    const body = await readText(c.req.raw, most)
    const isForm = type.startsWith('application/x-www-form-urlencoded')
    return { fields: new URLSearchParams(isForm ? body : ''), photos: [] }
  }
  const bytes = await (takesPhotos
    ? limitForms(() => readBytes(c.req.raw, most + MOST_PHOTOS * MAX_PHOTO_BYTES))
    : readBytes(c.req.raw, most))
  const form = await new Response(bytes, { headers: { 'content-type': type } }).formData().catch(() => undefined)
  if (form === undefined)
    throw badRequest('the body was refused', [{ path: '', message: 'it is not the form that its Content-Type says' }])
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
