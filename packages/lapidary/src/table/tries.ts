import { mayBeDone } from './error-meaning.ts'

/** What is known of the tries of one write. */
export interface Tries {
  /** Whether one got no answer, so that it may be this write's own doing that the next finds. */
  lost: boolean
}

type Handler = (args: unknown) => Promise<unknown>

/** A command of the SDK; clients that stand in for it may go without middleware. */
interface Watched {
  readonly middlewareStack?: {
    add(middleware: (next: Handler) => Handler, where: { step: 'finalizeRequest'; priority: 'low'; name: string }): void
  }
}

/**
 * Has a command note its tries. The SDK repeats some by itself, and its answer tells how many there were, but not why: a try that was
 * throttled did nothing, and one whose answer was lost may have done all.
 */
export function watchTries({ middlewareStack }: Watched, tries: Tries): void {
  const noting =
    (next: Handler): Handler =>
    async (args) => {
      try {
        return await next(args)
      } catch (error) {
        tries.lost ||= mayBeDone(error)
        throw error
      }
    }
  // Inside of the SDK's own repetition.
  middlewareStack?.add(noting, { step: 'finalizeRequest', priority: 'low', name: 'lapidaryTries' })
}
