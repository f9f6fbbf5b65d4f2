import type { Context } from 'hono'
import { setCookie } from 'hono/cookie'
import { LapidaryError } from 'lapidary'
import { LANGUAGE_COOKIE } from './reader.ts'
import { openablePath } from './sent-address.ts'
import { sentForm } from './sent-form.ts'
import { SPOKEN_LANGUAGES } from './words.ts'

const A_YEAR = 365 * 24 * 3600
/** Far more than the form takes. */
const MAX_FORM_BYTES = 1024

/**
 * Answers `POST /language`, the switch at the foot of each page: back to the page that it stood on, in the chosen language.
 *
 * @throws {LapidaryError} `bad_request` for a language that the pages do not speak.
 */
export async function chooseLanguage(c: Context): Promise<Response> {
  const language = (await sentForm(c, MAX_FORM_BYTES)).get('language') ?? ''
  const tags = SPOKEN_LANGUAGES.map(({ tag }) => tag)
  if (!tags.includes(language)) {
    const errors = [{ path: 'language', message: `must be one of ${tags.join(', ')}` }]
    throw new LapidaryError('bad_request', 'the language of the pages was refused', { details: { errors } })
  }
  setCookie(c, LANGUAGE_COOKIE, language, { path: '/', maxAge: A_YEAR, httpOnly: true, sameSite: 'Lax' })
  return c.redirect(pageBefore(c.req.header('Referer')), 303)
}

/** Returns the page that a form stood on, as a path of this site, whatever the header names. */
function pageBefore(referer = ''): string {
  if (!URL.canParse(referer)) return '/'
  const { pathname, search } = new URL(referer)
  // Two slashes would name another host.
  return pathname.startsWith('//') ? '/' : openablePath(pathname) + search
}
