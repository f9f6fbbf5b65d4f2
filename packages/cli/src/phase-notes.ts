import type { Terminal } from './terminal.ts'

const LINE_EVERY_MS = 1_000

/** Writes the progress to standard error: at each new phase, and at most once a second in between. */
export function phaseNotes<P extends { readonly phase: string }>(
  terminal: Pick<Terminal, 'note'>,
  textOf: (progress: P) => string,
): (progress: P) => void {
  let last = Number.NEGATIVE_INFINITY
  let phase: string | undefined
  return (progress) => {
    const now = performance.now()
    if (phase === progress.phase && now - last < LINE_EVERY_MS) return
    last = now
    phase = progress.phase
    terminal.note(textOf(progress))
  }
}
