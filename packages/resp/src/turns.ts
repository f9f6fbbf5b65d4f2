/**
 * Lets clients whose commands take long run one after the other: one in each turn of the event loop, so that a client with small commands waits
 * for at most one of them.
 */
export class Turns {
  readonly #line = new Set<() => void>()
  #isDue = false

  /** Calls a function when its turn comes, behind those that are waiting. */
  wait(run: () => void): void {
    this.#line.add(run)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isDue || this.#line.size === 0) return
    this.#isDue = true
    setImmediate(() => {
      this.#isDue = false
      const [run] = this.#line
      if (run === undefined) return
      this.#line.delete(run)
      this.#schedule()
      run()
    })
  }
}
