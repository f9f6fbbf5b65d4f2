import { attack as attackOnce } from '../../apps/comments/test/schemathesis.ts'
import { ADMIN_TOKEN, startAppServer, WRITER_TOKEN } from './app-server.ts'
import type { BenchContext } from './bench.ts'
import type { Report } from './report.ts'

const REQUESTS = 10_000
const QUICK_REQUESTS = 500
/** Of one run; the next one has another seed. */
const EXAMPLES = 250
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
export async function attack({ seed, quick, requests }: BenchContext): Promise<Report> {
  const least = requests ?? (quick ? QUICK_REQUESTS : REQUESTS)
  const rows: (string | number)[][] = []
  const figures: object[] = []
  let failedRuns = 0
  let unforeseen = 0
  for (const [name, token] of Object.entries(TOKENS)) {
    await using server = await startAppServer()
    await storeComment(server.address)
    const before = await answersOf(server.address)
    let answers: Answers = new Map()
    for (let run = 0; sumOf(answers) < least; run++) {
      const examples = quick ? QUICK_EXAMPLES : EXAMPLES
      const { code, report } = await attackOnce({ address: server.address, token, seed: seed + run, examples })
      if (code !== 0) {
        failedRuns += 1
        console.error(report)
      }
      answers = difference(await answersOf(server.address), before)
      console.log(
        `${name}, seed ${seed + run}: ${sumOf(answers)} requests, ${code === 0 ? 'all checks pass' : 'failed'}`,
      )
    }
    unforeseen += answers.get(UNFORESEEN) ?? 0
    const classes = ['2', '3', '4', '5'].map((first) => sumOf(answers, (status) => status.startsWith(first)))
    rows.push([name, sumOf(answers), ...classes, answers.get(UNFORESEEN) ?? 0])
    figures.push({ token: name, statuses: Object.fromEntries(answers) })
  }
  return {
    tables: [
      {
        title: `Requests by Schemathesis, at least ${least} with each token, by the status of their answers`,
        columns: ['token', 'requests', '2xx', '3xx', '4xx', '5xx', 'of these 500'],
        rows,
      },
    ],
    targets: [
      { name: 'runs in which a check failed', value: failedRuns, limit: 0, kind: 'at most' },
      { name: 'answers 500', value: unforeseen, limit: 0, kind: 'at most' },
    ],
    figures,
  }
}

/** How many answers had each status. */
type Answers = ReadonlyMap<string, number>

/** What the server itself counted. */
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
