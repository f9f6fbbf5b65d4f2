import type { Context } from 'hono'
import { readText } from 'lapidary-http/internal'

/**
 * Reads the fields of a form that a browser sent.
 *
 * @param most Bytes; `too_large` beyond.
 */
export async function sentForm(c: Context, most: number): Promise<URLSearchParams> {
  return new URLSearchParams(await readText(c.req.raw, most))
}
