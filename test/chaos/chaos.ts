import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { createLapidary, type LayoutName, layoutNamed, segments } from 'lapidary'
import { clientConfig } from 'lapidary-engine'
import { seededRandom } from 'lapidary-testing'
import { commentsIn } from '../../apps/comments/src/comment.ts'
import { type Comment, listAll, read } from '../kill/comment-api.ts'
import { LANGUAGES, PRODUCTS } from '../kill/comment-writer.ts'
import { leadersOf, statisticsOf } from '../kill/recount.ts'
import { type ChaosResult, runChaos } from './chaos-clients.ts'
import { startTroubledApplications, type Trouble, type TroubledApplications } from './troubled-applications.ts'

/** The size of the chaos. */
export interface ChaosOptions {
  readonly layout: LayoutName
  readonly requests: number
  /** Milliseconds after which no more requests are sent; none when not given. */
  readonly milliseconds?: number
  readonly trouble: Trouble
  readonly seed: number
}

/** The result of the chaos. */
export interface ChaosReport extends Pick<ChaosResult, 'answers' | 'wrong'> {
  readonly happened: TroubledApplications['happened']
  /** The number of times that each fault happened. */
  readonly injected: Readonly<Record<string, number>>
  /** Calls to the database, and those of them that it refused or did not answer, by operation. */
  readonly calls: Readonly<Record<string, number>>
  readonly befallen: Readonly<Record<string, number>>
  /** The number of comments left. */
  readonly comments: number
}

/** As many clients as the application serves at once; most wait until the SDK tries again. */
const CLIENTS = 32
/** Each comment of the power set has many entries, and each of them is a change to read. */
const COUNT_WITHIN_MS = 30 * 60_000
/** The application gives up a call after 5 s; a busy database may carry it out later still. */
const SETTLED_WITHIN_MS = 60_000

/**
 * Runs two processes of the comments application on a database in trouble, kills and stops them under requests of all kinds, and then counts
 * everything again.
 */
export async function chaos({ layout, requests, milliseconds, trouble, seed }: ChaosOptions): Promise<ChaosReport> {
  const draw = seededRandom(seed)
  await using applications = await startTroubledApplications(layout, trouble, seed)
  const { endpoint, proxy, happened } = applications
  applications.trouble(seededRandom(seed + 1))
  const until = milliseconds === undefined ? Number.POSITIVE_INFINITY : Date.now() + milliseconds
  const { settled } = proxy
  const result = await runChaos(() => applications.address(draw), { requests, until, clients: CLIENTS, draw, settled })
  await applications.calm()
  const address = applications.address(() => 0)
  await counted(applications.addresses())
  await settled()
  const [calls, befallen, injected] = [{ ...proxy.calls }, { ...proxy.befallen }, proxy.injected]
  const list = async () => (await Promise.all(PRODUCTS.map((productId) => listAll(address, productId)))).flat()
  const listed = await list()
  const wrong = [
    ...result.wrong,
    ...notAsKnown(listed, result),
    ...(await notAsVerified(endpoint, layout)),
    ...(await notAsCountedInTheEnd(applications.addresses(), list)),
  ]
  return { answers: result.answers, wrong, calls, befallen, injected, happened, comments: listed.length }
}

/** Returns acknowledged comments that are missing or differ, and comments that no client wrote. */
function notAsKnown(listed: readonly Comment[], { known, unknown }: ChaosResult): readonly string[] {
  const found = new Map(listed.map((comment) => [comment.id, comment]))
  const lost = [...known.values()].filter((comment) => !isDeepStrictEqual(found.get(comment.id), comment))
  const strangers = listed.filter(({ id }) => !known.has(id))
  const texts = strangers.map(({ text }) => String(text))
  const odd = strangers.filter(({ text }, i) => !unknown.has(String(text)) || texts.indexOf(String(text)) !== i)
  return [
    ...lost.map(
      (comment) => `${comment.id} is ${JSON.stringify(found.get(comment.id))}, not ${JSON.stringify(comment)}`,
    ),
    ...odd.map((comment) => `${JSON.stringify(comment)} was not made, or was deleted`),
    ...(found.size === listed.length ? [] : ['a comment is listed twice']),
  ]
}

/** Lists and compares again for some time: a write whose answer was given up may land between the two. */
async function notAsCountedInTheEnd(
  addresses: readonly string[],
  list: () => Promise<readonly Comment[]>,
): Promise<readonly string[]> {
  for (const deadline = Date.now() + SETTLED_WITHIN_MS; ; await sleep(500)) {
    await counted(addresses)
    const wrong = await notAsCounted(addresses[0] ?? '', await list())
    if (wrong.length === 0 || Date.now() >= deadline) return wrong
  }
}

/** Returns where statistics and leaderboards differ from the comments. */
async function notAsCounted(address: string, listed: readonly Comment[]): Promise<readonly string[]> {
  const wrong: string[] = []
  const compare = (what: string, found: unknown, wanted: unknown): void => {
    if (!isDeepStrictEqual(found, wanted))
      wrong.push(`${what}: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`)
  }
  for (const language of [undefined, ...LANGUAGES]) {
    const query = language === undefined ? '' : `?language=${language}`
    for (const productId of PRODUCTS) {
      const { asOf: _, ...found } = await read<{ asOf: string }>(address, `/products/${productId}/statistics${query}`)
      compare(`statistics of ${productId}${query}`, found, statisticsOf(listed, productId, language))
    }
    const { entries } = await read<{ entries: unknown }>(address, `/leaderboards/five-star${query}`)
    compare(`leaderboard${query}`, entries, leadersOf(listed, language))
  }
  return wrong
}

/** Waits until what was written is counted. One process counts a shard, and the others know nothing of its lag. */
async function counted(addresses: readonly string[]): Promise<void> {
  for (const deadline = Date.now() + COUNT_WITHIN_MS; Date.now() < deadline; await sleep(500)) {
    for (const address of addresses) {
      const response = await fetch(`${address}/readyz`)
      const { checks } = (await response.json()) as { readonly checks?: { readonly derivedData?: { lagMs?: number } } }
      if (response.ok && checks?.derivedData?.lagMs === 0) return
    }
  }
}

/** Returns the differences that the library finds when it counts the table itself: lists, counts and page numbers. */
async function notAsVerified(endpoint: string, layout: LayoutName): Promise<readonly string[]> {
  const client = new DynamoDBClient(clientConfig(endpoint, {}))
  const lapidary = createLapidary({
    ...{ client, tableName: 'comments', collections: { comments: commentsIn(layout) }, layout: layoutNamed(layout) },
    ...{ cursorSecret: 'a secret of the tests', derived: { counts: true, pages: segments() } },
  })
  try {
    for (const deadline = Date.now() + COUNT_WITHIN_MS; ; await sleep(200)) {
      const { differences, deadLetters, gaps, pending } = await lapidary.derived.verify()
      if (pending > 0 && Date.now() < deadline) continue
      return [
        ...differences.map((difference) => JSON.stringify(difference)),
        ...(deadLetters > 0 ? [`${deadLetters} dead letters`] : []),
        ...gaps.map((gap) => `a gap in ${JSON.stringify(gap)}`),
        ...(pending > 0 ? [`${pending} changes are not counted`] : []),
      ]
    }
  } finally {
    client.destroy()
  }
}
