import { Hono } from 'hono'
import { htmlPage, messagePage, type StudioContext } from '../web/studio-context.tsx'
import { JobView } from './job-view.tsx'
import { OperatePage } from './operate-page.tsx'
import { operationsOf } from './operations.tsx'
import { readState } from './read-state.ts'

/** Seconds after which a page with a job that runs asks for itself anew, where no script does. */
export const REFRESH_SECONDS = 3

/** The pages of what is operated, and the job under way. */
export function operateRoutes(studio: StudioContext): Hono {
  const { options, jobs } = studio
  const operations = operationsOf(options)
  const routes = new Hono()
  routes.get('/operate', async (context) => {
    const state = await readState(options.database)
    const job = jobs.latest()
    const refresh = job !== undefined && job.endedAt === undefined ? REFRESH_SECONDS : undefined
    return htmlPage(
      context,
      studio,
      { title: 'Operate', part: 'operate', refresh },
      <OperatePage state={state} operations={operations} job={job} now={Date.now()} />,
    )
  })
  routes.get('/operate/job', async (context) => {
    const back = context.req.query('back') ?? ''
    return context.html(await (<JobView job={jobs.latest()} now={Date.now()} back={localPath(back)} />).toString())
  })
  routes.post('/operate/start', async (context) => {
    const { kind } = await context.req.parseBody()
    const operation = operations.find((each) => each.kind === kind)
    if (operation === undefined) return messagePage(context, studio, 400, 'There is no such operation.')
    if (!jobs.start(operation.title, operation.run))
      return messagePage(
        context,
        studio,
        409,
        `${jobs.latest()?.title ?? 'Another operation'} is still running: stop it, or wait until it has ended.`,
      )
    return context.redirect('/operate', 303)
  })
  routes.post('/operate/stop', async (context) => {
    const { back } = await context.req.parseBody()
    await jobs.stop()
    return context.redirect(localPath(typeof back === 'string' ? back : ''), 303)
  })
  return routes
}

/** Returns a path of the studio, whatever was asked for. */
function localPath(path: string): string {
  return /^\/c\/[^/\\]+\/adviser$/.test(path) ? path : '/operate'
}
