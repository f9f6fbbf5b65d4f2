import type { Context } from 'hono'
import { addressOf } from 'lapidary-http/internal'
import { authorSchema } from '../../comment.ts'
import { requireOwnOrigin } from '../../people/visitors.ts'
import { htmlPage } from '../html-page.tsx'
import { sentForm } from '../sent-form.ts'
import type { WebSettings } from '../settings.ts'
import { ModeratorSignInPage, SignInPage } from './sign-in-page.tsx'

const MAX_FORM_BYTES = 8 * 1024

/** Answers `GET /sign-in`, of the demo. */
export async function showSignIn(c: Context): Promise<Response> {
  return unkept(await htmlPage(c, <SignInPage to={pathWithin(c.req.query('to'))} />))
}

/** Answers `POST /sign-in`: anybody is who they say they are. */
export async function signIn(c: Context, settings: WebSettings): Promise<Response> {
  const body = await sentForm(c, MAX_FORM_BYTES)
  // Another site's page could make somebody write under a name that is not theirs.
  requireOwnOrigin(c, settings.publicUrl)
  settings.people?.limits.signIn.take(addressOf(c.env))
  const to = pathWithin(body.get('to') ?? undefined)
  const name = (body.get('name') ?? '').trim()
  if (!authorSchema.safeParse(name).success || /\p{Cc}/u.test(name))
    return unkept(await htmlPage(c, <SignInPage to={to} name={name} isWrong />, 422))
  await settings.demo?.signIn(c, name)
  return c.redirect(to, 303)
}

/** Answers `POST /sign-out`. */
export async function signOut(c: Context, settings: WebSettings): Promise<Response> {
  requireOwnOrigin(c, settings.publicUrl)
  settings.demo?.signOut(c)
  return c.redirect('/', 303)
}

/** Answers `POST /moderation/sign-in`: the admin's token opens a session. */
export async function signInModerator(c: Context, settings: WebSettings): Promise<Response> {
  const body = await sentForm(c, MAX_FORM_BYTES)
  requireOwnOrigin(c, settings.publicUrl)
  if (settings.authorize((body.get('token') ?? '').trim(), addressOf(c.env)) !== 'admin')
    return unkept(await htmlPage(c, <ModeratorSignInPage isWrong />, 401))
  await settings.session?.open(c)
  return c.redirect('/moderation', 303)
}

/** Answers `POST /moderation/sign-out`. */
export async function signOutModerator(c: Context, settings: WebSettings): Promise<Response> {
  requireOwnOrigin(c, settings.publicUrl)
  settings.session?.close(c)
  return c.redirect('/', 303)
}

/** Shows where the admin's token is asked for. */
export async function askForToken(c: Context): Promise<Response> {
  return unkept(await htmlPage(c, <ModeratorSignInPage />, 401))
}

/** No cache keeps the page, not even that of the browser. */
export function unkept(response: Response): Response {
  response.headers.set('Cache-Control', 'no-store')
  return response
}

/** Returns a path of these pages, whatever a link says: another host begins with two slashes, or with one and a backslash. */
export function pathWithin(to: string | undefined): string {
  if (to === undefined || !/^\/(?![/\\])/.test(to) || /[\p{Cc}\\]/u.test(to)) return '/'
  const { origin, pathname, search } = new URL(to, 'http://here.invalid')
  return origin === 'http://here.invalid' && !pathname.startsWith('//') ? pathname + search : '/'
}
