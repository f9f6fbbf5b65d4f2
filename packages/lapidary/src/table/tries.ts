import { mayBeDone } from './error-meaning.ts'

/** The notes about the tries of one write. */
export interface Tries {
  /** Whether a try got no answer, so that the next try may find this write's own result. */
  lost: boolean
}

type Handler = (args: unknown) => Promise<unknown>

/** A command of the SDK; clients that stand in for the SDK may have no middleware. */
interface Watched {
  readonly middlewareStack?: {
    add(middleware: (next: Handler) => Handler, where: { step: 'finalizeRequest'; priority: 'low'; name: string }): void
  }
}

/**
 * Notes the tries of a command. The SDK repeats some by itself, and its answer tells how many there were, but not why: a try that was throttled
 * did nothing, and one whose answer was lost may have done all.
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
  // Placed inside of the SDK's own retries.
  middlewareStack?.add(noting, { step: 'finalizeRequest', priority: 'low', name: 'lapidaryTries' })
}
