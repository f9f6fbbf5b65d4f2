import { ADMIN_TOKEN, startAppServer, WRITER_TOKEN } from './app-server.ts'
import type { BenchContext } from './bench.ts'
import type { Report } from './report.ts'
import { attack as attackOnce, type Phase } from './schemathesis.ts'

const REQUESTS = 10_000
const QUICK_REQUESTS = 500
/** The examples of one run; the next one has another seed, and leaves out what would be sent again. */
const EXAMPLES = 100
const QUICK_EXAMPLES = 10
const TOKENS = {
  none: undefined,
  'not known': 'a-token-that-is-not-known',
  writer: WRITER_TOKEN,
  admin: ADMIN_TOKEN,
}
/** Errors of the server's own; 501 and 503 are said on purpose. */
const UNFORESEEN = '500'

/** Requests that a generator makes from the API's description, valid or not, with each token, each answer checked. */
export async function attack({ seed, quick, requests, minutes }: BenchContext): Promise<Report> {
  const least = requests ?? (quick ? QUICK_REQUESTS : REQUESTS)
  const settings: Settings = {
    least,
    seed,
    examples: quick ? QUICK_EXAMPLES : EXAMPLES,
    until: minutes === undefined ? Number.POSITIVE_INFINITY : performance.now() + minutes * 60_000,
  }
  // Abreast: a generator takes one processor at most, nearly all of it to draw.
  const results = await Promise.all(
    Object.entries(TOKENS).map(async ([name, token]) => ({ name, ...(await attackWith(name, token, settings)) })),
  )
  const failedRuns = results.reduce((sum, { failures }) => sum + failures, 0)
  const fewest = Math.min(...results.map(({ answers }) => sumOf(answers)))
  const unforeseen = results.reduce((sum, { answers }) => sum + (answers.get(UNFORESEEN) ?? 0), 0)
  const rows = results.map(({ name, answers }) => {
    const classes = ['2', '3', '4', '5'].map((first) => sumOf(answers, (status) => status.startsWith(first)))
    return [name, sumOf(answers), ...classes, answers.get(UNFORESEEN) ?? 0]
  })
  return {
    tables: [
      {
        title: 'Requests by Schemathesis with each token, by the status of their answers',
        columns: ['token', 'requests', '2xx', '3xx', '4xx', '5xx', 'of these 500'],
        rows,
      },
    ],
    targets: [
      { name: 'requests with each token', value: fewest, limit: least, kind: 'at least' },
      { name: 'runs in which a check failed', value: failedRuns, limit: 0, kind: 'at most' },
      { name: 'answers 500', value: unforeseen, limit: 0, kind: 'at most' },
    ],
    figures: results.map(({ name, answers, seeds }) => ({ token: name, seeds, statuses: Object.fromEntries(answers) })),
  }
}

interface Attacked {
  readonly answers: Answers
  /** How many runs there were, each with a seed of its own. */
  readonly seeds: number
  /** Runs in which a check failed. */
  readonly failures: number
}

interface Settings {
  /** Requests that are enough. */
  readonly least: number
  readonly seed: number
  /** The examples of each run, as {@link attackOnce} takes them. */
  readonly examples: number
  /** No run begins later, in the time of `performance.now()`. */
  readonly until: number
}

/** One token against a server of its own, run after run, until enough was sent or the time is over. */
async function attackWith(
  name: string,
  token: string | undefined,
  { least, seed, examples, until }: Settings,
): Promise<Attacked> {
  await using server = await startAppServer()
  await storeComment(server.address)
  const before = await answersOf(server.address)
  let answers: Answers = new Map()
  let failures = 0
  let seeds = 0
  while (sumOf(answers) < least && (seeds === 0 || performance.now() < until)) {
    const phases: { phases?: readonly Phase[] } = seeds === 0 ? {} : { phases: ['fuzzing', 'stateful'] }
    const { code, report } = await attackOnce({
      address: server.address,
      token,
      seed: seed + seeds,
      examples,
      ...phases,
    })
    if (code !== 0) {
      failures += 1
      console.error(report)
    }
    answers = difference(await answersOf(server.address), before)
    console.log(
      `${name}, seed ${seed + seeds}: ${sumOf(answers)} requests, ${code === 0 ? 'all checks pass' : 'failed'}`,
    )
    seeds += 1
  }
  return { answers, seeds, failures }
}

/** How many answers had each status. */
type Answers = ReadonlyMap<string, number>

/** Returns the server's own counts. */
async function answersOf(address: string): Promise<Answers> {
  const text = await (await fetch(`${address}/metrics`)).text()
  const answers = new Map<string, number>()
  for (const [, status = '', count] of text.matchAll(
    /^http_request_duration_seconds_count\{.*status="(\d+)".*\} (\d+)/gm,
  )) {
    answers.set(status, (answers.get(status) ?? 0) + Number(count))
  }
  return answers
}

function difference(after: Answers, before: Answers): Answers {
  return new Map([...after].map(([status, count]) => [status, count - (before.get(status) ?? 0)]))
}

function sumOf(answers: Answers, counts: (status: string) => boolean = () => true): number {
  return [...answers].reduce((sum, [status, count]) => sum + (counts(status) ? count : 0), 0)
}

/** So that the ids of the description's examples are there. */
async function storeComment(address: string): Promise<void> {
  const answer = await fetch(`${address}/products/42/comments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ id: '100001', language: 'en', rating: 5, text: 'It works.', author: 'Ada' }),
  })
  if (!answer.ok) throw new Error(`a comment was refused: ${answer.status} ${await answer.text()}`)
}
