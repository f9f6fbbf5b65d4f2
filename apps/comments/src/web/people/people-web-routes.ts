import type { Hono } from 'hono'
import type { Services } from '../../services.ts'
import type { WebSettings } from '../settings.ts'
import { showCase, showQueue, takeDecision } from './moderation-answers.tsx'
import { deleteOwn, saveEdit, showEdit } from './own-answers.tsx'
import { sendReport, showReport } from './report-answers.tsx'
import { showSignIn, signIn, signInModerator, signOut, signOutModerator } from './sign-in-answers.tsx'
import { noteVisitor } from './visitor-shown.ts'

/** Notes who visits, for every page that is added after this. */
export function addVisitors(routes: Hono, { people, demo }: WebSettings): void {
  if (people === undefined) return
  routes.use(async (c, next) => {
    await noteVisitor(c, people, demo !== undefined)
    await next()
  })
}

/** Adds the pages of what people do: their own comments, reports, moderation, and in a demo the sign-in. */
export function addPeoplePages(routes: Hono, services: Services, settings: WebSettings): void {
  const { limitWork = (work) => work() } = settings
  const comment = '/p/:productId/comments/:commentId'
  routes.get(`${comment}/edit`, (c) => limitWork(() => showEdit(c, services, settings, c.req.param())))
  routes.post(`${comment}/edit`, (c) => saveEdit(c, services, settings, c.req.param()))
  routes.post(`${comment}/delete`, (c) => limitWork(() => deleteOwn(c, services, settings, c.req.param())))
  routes.get(`${comment}/report`, (c) => limitWork(() => showReport(c, services, settings, c.req.param())))
  routes.post(`${comment}/report`, (c) => limitWork(() => sendReport(c, services, settings, c.req.param())))

  routes.get('/moderation', (c) => limitWork(() => showQueue(c, services, settings)))
  routes.post('/moderation/sign-in', (c) => signInModerator(c, settings))
  routes.post('/moderation/sign-out', (c) => signOutModerator(c, settings))
  const decided = '/moderation/comments/:commentId'
  routes.get(decided, (c) => limitWork(() => showCase(c, services, settings, c.req.param('commentId'))))
  routes.post(decided, (c) => limitWork(() => takeDecision(c, services, settings, c.req.param('commentId'))))

  if (settings.demo === undefined) return
  routes.get('/sign-in', (c) => showSignIn(c))
  routes.post('/sign-in', (c) => signIn(c, settings))
  routes.post('/sign-out', (c) => signOut(c, settings))
}
