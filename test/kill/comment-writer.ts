import { isDeepStrictEqual } from 'node:util'
import { type Answer, ask, type Comment } from './comment-api.ts'

export const LANGUAGES = ['en', 'de', 'es', 'fr', 'ja']
export const PRODUCTS = ['hot', 'warm', 'cool', 'rare']
const PRODUCT_SHARES = [0.6, 0.25, 0.1, 0.05]
const RATING_SHARES = [0.12, 0.05, 0.08, 0.2, 0.55]
const LANGUAGE_SHARES = [0.5, 0.2, 0.15, 0.1, 0.05]

/** A write whose answer never came: it was made, or it was not. */
interface OpenWrite {
  readonly before: Comment | undefined
  /** The wanted attributes; undefined for a delete. */
  readonly wanted: object | undefined
}

/** Writes random comments and remembers the server's answer for each. */
export class CommentWriter {
  /** Comments as the server acknowledged them last. */
  readonly known = new Map<string, Comment>()
  readonly deleted = new Set<string>()
  /** Answers that fit no request. */
  readonly wrong: string[] = []
  readonly counts = { acknowledged: 0, open: 0, openAndDone: 0 }
  readonly #open = new Map<string, OpenWrite>()
  readonly #busy = new Set<string>()
  readonly #random: () => number
  #made = 0

  constructor(random: () => number) {
    this.#random = random
  }

  /** Makes one write: half of them create, the others edit rating or language, or delete. */
  async write(address: string): Promise<void> {
    const free = [...this.known.values()].filter(({ id }) => !this.#busy.has(id))
    const chance = this.#random()
    const comment = free[Math.floor(this.#random() * free.length)]
    if (comment === undefined || chance < 0.5) return this.#create(address)
    if (chance < 0.65) return this.#patch(address, comment, { rating: this.#rating() })
    if (chance < 0.75) return this.#patch(address, comment, { language: this.#language() })
    if (chance < 0.8) return this.#patch(address, comment, { rating: this.#rating(), language: this.#language() })
    return this.delete(address, comment)
  }

  async delete(address: string, comment: Comment): Promise<void> {
    await this.#send(comment.id, comment, undefined, () => ask(address, 'DELETE', `/comments/${comment.id}`))
  }

  /** Finds out what became of the writes that were under way when the server was killed. */
  async settle(address: string): Promise<void> {
    for (const [id, { before, wanted }] of this.#open) {
      const answer = await ask(address, 'GET', `/comments/${id}`)
      if (answer?.status !== 200 && answer?.status !== 404) throw new Error(`no answer for ${id}`)
      const found = answer.status === 200 ? (answer.body as Comment) : undefined
      const done = wanted === undefined ? found === undefined : isChanged(found, before, wanted)
      if (!done && !isDeepStrictEqual(found, before)) {
        this.wrong.push(`${id} is ${JSON.stringify(found)} after ${JSON.stringify({ before, wanted })}`)
      }
      this.#open.delete(id)
      this.#busy.delete(id)
      this.counts.openAndDone += done ? 1 : 0
      this.#remember(id, found)
    }
  }

  async #create(address: string): Promise<void> {
    const id = `c${String(this.#made++).padStart(6, '0')}`
    const productId = this.#pick(PRODUCTS, PRODUCT_SHARES)
    const wanted = { id, rating: this.#rating(), language: this.#language(), title: '', text: 'x', author: 'somebody' }
    await this.#send(id, undefined, { ...wanted, productId }, () =>
      ask(address, 'POST', `/products/${productId}/comments`, wanted),
    )
  }

  async #patch(address: string, comment: Comment, wanted: object): Promise<void> {
    await this.#send(comment.id, comment, wanted, () => ask(address, 'PATCH', `/comments/${comment.id}`, wanted))
  }

  async #send(
    id: string,
    before: Comment | undefined,
    wanted: object | undefined,
    send: () => Promise<Answer>,
  ): Promise<void> {
    this.#busy.add(id)
    const answer = await send()
    if (answer === undefined) {
      this.counts.open += 1
      this.#open.set(id, { before, wanted })
      return
    }
    this.#busy.delete(id)
    this.counts.acknowledged += 1
    const after = answer.body as Comment | undefined
    const fits = wanted === undefined ? answer.status === 204 : answer.status < 300 && isChanged(after, before, wanted)
    if (!fits) this.wrong.push(`${id}: ${JSON.stringify({ before, wanted, answer })}`)
    else this.#remember(id, after)
  }

  #remember(id: string, comment: Comment | undefined): void {
    if (comment !== undefined) this.known.set(id, comment)
    else if (this.known.delete(id)) this.deleted.add(id)
  }

  #rating(): number {
    return this.#pick([1, 2, 3, 4, 5], RATING_SHARES)
  }

  #language(): string {
    return this.#pick(LANGUAGES, LANGUAGE_SHARES)
  }

  #pick<T>(values: readonly T[], shares: readonly number[]): T {
    let left = this.#random()
    const at = shares.findIndex((share) => {
      left -= share
      return left < 0
    })
    return values.at(at) as T
  }
}

/** What the server gives a new comment of its own accord. */
const GIVEN = { helpful: 0, verified: false, answer: null, photos: [] }

/** Tells whether a comment is what it was with the wanted attributes, and a version further if that made a difference. */
function isChanged(comment: Comment | undefined, before: Comment | undefined, wanted: object): boolean {
  if (comment === undefined) return false
  const { version = 0, updatedAt: _, ...rest }: Partial<Comment> = before ?? GIVEN
  const changes = Object.entries(wanted).some(([name, value]) => before?.[name] !== value)
  const { version: newVersion, updatedAt: __, createdAt, ...newRest } = comment
  return (
    newVersion === version + (changes ? 1 : 0) &&
    typeof createdAt === 'string' &&
    isDeepStrictEqual({ createdAt, ...newRest }, { createdAt, ...rest, ...wanted })
  )
}
