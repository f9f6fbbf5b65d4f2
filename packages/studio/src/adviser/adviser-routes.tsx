import { type Context, Hono } from 'hono'
import { REFRESH_SECONDS } from '../operate/operate-routes.tsx'
import { type Problem, problemOf } from '../web/problem.tsx'
import { collectionNamed, htmlPage, type NamedCollection, type StudioContext } from '../web/studio-context.tsx'
import { AdviserPage } from './adviser-page.tsx'
import { adviserRun, type TypedLoad, workloadOf } from './run-adviser.tsx'

const FIRST_LOAD: TypedLoad = { reads: '100', writes: '5' }

/** The pages of the adviser, for the queries of this session. */
export function adviserRoutes(studio: StudioContext): Hono {
  const { jobs } = studio
  const routes = new Hono()
  const loads = new Map<string, TypedLoad>()
  const page = (context: Context, of: NamedCollection, load: TypedLoad, problem?: Problem): Promise<Response> => {
    const latest = jobs.latest()
    const job = latest?.title === titleOf(of) || latest?.endedAt === undefined ? latest : undefined
    const refresh = job !== undefined && job.endedAt === undefined ? REFRESH_SECONDS : undefined
    const { name, memory } = of
    return htmlPage(
      context,
      studio,
      { title: `Adviser on ${name}`, name, part: 'adviser', refresh },
      <AdviserPage
        name={name}
        queries={memory.queries().toSorted((a, b) => b.times - a.times)}
        sample={memory.items().length}
        load={load}
        job={job}
        now={Date.now()}
        problem={problem}
      />,
      problem?.status ?? 200,
    )
  }
  routes.get('/c/:name/adviser', (context) => {
    const of = collectionNamed(studio, context.req.param('name'))
    return of === undefined ? context.notFound() : page(context, of, loads.get(of.name) ?? FIRST_LOAD)
  })
  routes.post('/c/:name/adviser', async (context) => {
    const of = collectionNamed(studio, context.req.param('name'))
    if (of === undefined) return context.notFound()
    const { reads, writes } = await context.req.parseBody()
    const load = { reads: String(reads ?? ''), writes: String(writes ?? '') }
    loads.set(of.name, load)
    try {
      const isStarted = jobs.start(titleOf(of), adviserRun(of.collection, workloadOf(of.collection, load, of.memory)))
      if (isStarted) return context.redirect(`/c/${encodeURIComponent(of.name)}/adviser`, 303)
      const message = `${jobs.latest()?.title ?? 'Another operation'} is still running: stop it, or wait until it has ended.`
      return page(context, of, load, { status: 409, code: 'unavailable', message, errors: [] })
    } catch (error) {
      const problem = problemOf(error)
      if (problem === undefined) throw error
      return page(context, of, load, problem)
    }
  })
  return routes
}

function titleOf({ name }: NamedCollection): string {
  return `Adviser on ${name}`
}
