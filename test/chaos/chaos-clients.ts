import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Comment } from '../kill/comment-api.ts'
import { ADMIN_TOKEN } from '../kill/comment-server.ts'
import { LANGUAGES, PRODUCTS } from '../kill/comment-writer.ts'

/** The result of clients of a database in trouble. */
export interface ChaosResult {
  /** Answers by method (or by the resource of a `GET`) and status; 0 where the connection broke. */
  readonly answers: Readonly<Record<string, Readonly<Record<number, number>>>>
  /** Answers that contradict what was acknowledged before. */
  readonly wrong: readonly string[]
  /** Comments that have to be there now. */
  readonly known: ReadonlyMap<string, Comment>
  /** Texts of comments that may be there, once each: they were created without an id or a key, and answered 503. */
  readonly unknown: ReadonlySet<string>
}

interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: clients look at whatever came
  readonly body: any
}

const UNAVAILABLE = 503
/** A call of a process that was killed has reached the proxy by then. */
const ARRIVED_WITHIN_MS = 500
const READS: readonly (readonly [name: string, path: (product: string, draw: () => number) => string])[] = [
  ['list', (product, draw) => `/products/${product}/comments?rating=${1 + Math.floor(draw() * 5)},5&limit=10`],
  ['list', (product, draw) => `/products/${product}/comments?language=${pick(LANGUAGES, draw)}&order=oldest`],
  ['page', (product, draw) => `/products/${product}/comments?limit=5&page=${1 + Math.floor(draw() * 4)}`],
  ['statistics', (product) => `/products/${product}/statistics`],
  ['highlights', (product) => `/products/${product}/highlights`],
  ['leaderboard', () => '/leaderboards/five-star'],
  ['web page', (product, draw) => `/p/${product}?rating=${1 + Math.floor(draw() * 5)}`],
]

function pick<T>(values: readonly T[], draw: () => number): T {
  return values[Math.floor(draw() * values.length)] as T
}

/** How much is sent, and how. */
export interface ChaosRequests {
  readonly requests: number
  /** Milliseconds since 1970 after which no more are sent. */
  readonly until: number
  readonly clients: number
  readonly draw: () => number
  /** Resolves when the database has answered all that has reached it by now. */
  readonly settled: () => Promise<void>
}

/**
 * Sends this many requests from some clients at once: half of them read; the others create, with and without a key, change and delete. A comment
 * is one client's at a time, so every right answer is known. A write that is answered 503 was made or was not: the client looks it up before it
 * uses the comment again.
 */
export async function runChaos(
  address: () => string,
  { requests, until, clients, draw, settled }: ChaosRequests,
): Promise<ChaosResult> {
  const answers: Record<string, Record<number, number>> = {}
  const wrong: string[] = []
  const known = new Map<string, Comment>()
  const unknown = new Set<string>()
  const busy = new Set<string>()
  let sent = 0
  let made = 0

  async function ask(name: string, method: string, path: string, body?: object, more: object = {}): Promise<Answer> {
    sent += 1
    const broken = { status: UNAVAILABLE, body: undefined }
    const response = await fetch(`${address()}${path}`, {
      method,
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json', ...more },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch(() => undefined)
    const text = await response?.text().catch(() => undefined)
    // The process was killed: what became of a write is as unknown as after a 503, and may still be on its way.
    if (response === undefined || text === undefined) {
      answers[name] = { ...answers[name], 0: (answers[name]?.[0] ?? 0) + 1 }
      await sleep(ARRIVED_WITHIN_MS)
      return broken
    }
    const { status, headers } = response
    answers[name] = { ...answers[name], [status]: (answers[name]?.[status] ?? 0) + 1 }
    if (status === UNAVAILABLE && headers.get('retry-after') === null)
      wrong.push(`${method} ${path}: 503 without Retry-After`)
    if (status >= 500 && status !== UNAVAILABLE) wrong.push(`${method} ${path}: ${status} ${text}`)
    return { status, body: /json/.test(headers.get('content-type') ?? '') ? JSON.parse(text) : text }
  }

  /**
   * Finds out what became of a write, and checks that it is one of the two states that it may be. A busy database may carry it out after the
   * application has given it up.
   */
  async function settle(id: string, before: Comment | undefined, isMade: (found: Comment | undefined) => boolean) {
    await settled()
    let found: Answer
    do found = await ask('look-up', 'GET', `/comments/${id}`)
    while (found.status === UNAVAILABLE)
    const comment: Comment | undefined = found.status === 200 ? found.body : undefined
    if (!isMade(comment) && !isDeepStrictEqual(comment, before)) {
      wrong.push(`${id} is ${JSON.stringify(comment)} after ${JSON.stringify(before)}`)
    }
    remember(id, comment)
  }

  function remember(id: string, comment: Comment | undefined): void {
    if (comment === undefined) known.delete(id)
    else known.set(id, comment)
  }

  async function create(withKey: boolean): Promise<void> {
    const id = `c${String(made++).padStart(6, '0')}`
    const product = pick(PRODUCTS, draw)
    const own = draw() < 0.5
    const body = {
      ...(own ? { id } : {}),
      ...{ rating: 1 + Math.floor(draw() * 5), language: pick(LANGUAGES, draw), text: id, author: 'somebody' },
    }
    const key = { 'idempotency-key': id }
    const name = withKey ? 'create once' : 'create'
    const post = () => ask(name, 'POST', `/products/${product}/comments`, body, withKey ? key : {})
    if (own) busy.add(id)
    let answer = await post()
    // The same request may be sent again if it has a key, and looked up if it has an id of its own.
    while (withKey && answer.status === UNAVAILABLE) answer = await post()
    if (answer.status === UNAVAILABLE && own) await settle(id, undefined, (found) => found?.text === id)
    // A comment without an id of ours may be there now; its id is unknown.
    else if (answer.status === UNAVAILABLE) unknown.add(id)
    else if (answer.status !== 201 || answer.body.text !== id) wrong.push(`${name} ${id}: ${JSON.stringify(answer)}`)
    else {
      known.set(answer.body.id, answer.body)
      if (withKey && draw() < 0.3) await replay(post, answer.body)
    }
    busy.delete(id)
  }

  async function replay(post: () => Promise<Answer>, first: Comment): Promise<void> {
    const again = await post()
    // Another client may have deleted it meanwhile.
    const fits = again.status === 201 && isDeepStrictEqual(again.body, first)
    if (!fits && again.status !== UNAVAILABLE && !(again.status === 404 && !known.has(first.id)))
      wrong.push(`${first.id} again: ${JSON.stringify(again)}`)
  }

  async function change(comment: Comment): Promise<void> {
    const { id, version } = comment
    const rating = 1 + ((comment.rating + Math.floor(draw() * 4)) % 5)
    const isMade = (found: Comment | undefined) => found?.rating === rating && found.version === version + 1
    const condition = draw() < 0.5 ? { 'if-match': `"${version}"` } : {}
    const answer = await ask('change', 'PATCH', `/comments/${id}`, { rating }, condition)
    if (answer.status === UNAVAILABLE) return settle(id, comment, isMade)
    if (isMade(answer.body)) remember(id, answer.body)
    else wrong.push(`${id} changed from ${JSON.stringify(comment)}: ${JSON.stringify(answer)}`)
  }

  async function remove(comment: Comment): Promise<void> {
    const { id, version } = comment
    const condition = draw() < 0.3 ? { 'if-match': `"${version}"` } : {}
    const answer = await ask('delete', 'DELETE', `/comments/${id}`, undefined, condition)
    if (answer.status === UNAVAILABLE) return settle(id, comment, (found) => found === undefined)
    if (answer.status === 204) remember(id, undefined)
    else wrong.push(`${id} deleted: ${JSON.stringify(answer)}`)
  }

  async function look({ id }: Comment): Promise<void> {
    const { status, body } = await ask('look-up', 'GET', `/comments/${id}`)
    if (status !== UNAVAILABLE && !isDeepStrictEqual(body, known.get(id)))
      wrong.push(`${id} is ${JSON.stringify(body)}`)
  }

  async function client(): Promise<void> {
    while (sent < requests && Date.now() < until) {
      const chance = draw()
      if (chance < 0.4) {
        const [name, path] = pick(READS, draw)
        const { status } = await ask(name, 'GET', path(pick(PRODUCTS, draw), draw))
        if (status !== 200 && status !== UNAVAILABLE) wrong.push(`${name}: ${status}`)
        continue
      }
      if (chance < 0.7) {
        await create(chance < 0.6)
        continue
      }
      const free = [...known.values()].filter(({ id }) => !busy.has(id))
      const comment = free[Math.floor(draw() * free.length)]
      if (comment === undefined) continue
      busy.add(comment.id)
      await (chance < 0.8 ? look : chance < 0.9 ? change : remove)(comment)
      busy.delete(comment.id)
    }
  }

  await Promise.all(Array.from({ length: clients }, client))
  return { answers, wrong, known, unknown }
}
