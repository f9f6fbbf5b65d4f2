import { SingleBar } from 'cli-progress'

/** Shows the progress of a long command on standard error: a bar on a terminal, else a line every few seconds. */
export interface Progress {
  /** @param done The progress in the unit of the total. */
  update(done: number, text: string): void
  stop(): void
}

const LINE_EVERY_MS = 3000

/** @param total The total of bytes or items; undefined when it is not known. */
export function startProgress(what: string, total: number | undefined): Progress {
  return process.stderr.isTTY && total !== undefined ? bar(what, total) : progressLines(what, total)
}

function bar(what: string, total: number): Progress {
  const format = `${what} {bar} {percentage} %  {text}  {duration_formatted}, left {eta_formatted}`
  const single = new SingleBar({
    format,
    stream: process.stderr,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 24,
    hideCursor: true,
    clearOnComplete: true,
    etaBuffer: 100,
    // The terminal's own handler sees Ctrl-C.
    gracefulExit: false,
  })
  single.start(Math.max(1, total), 0, { text: '' })
  return {
    update: (done, text) => single.update(Math.min(done, total), { text }),
    stop: () => single.stop(),
  }
}

function progressLines(what: string, total: number | undefined): Progress {
  let last = performance.now()
  return {
    update(done, text) {
      const now = performance.now()
      if (now - last < LINE_EVERY_MS) return
      last = now
      const share = total === undefined || total === 0 ? '' : ` ${Math.floor((Math.min(done, total) / total) * 100)} %`
      process.stderr.write(`${what}${share}  ${text}\n`)
    },
    stop: () => {},
  }
}

/** Writes `12,345 (6,789 a second)`. */
export function speedText(count: number, milliseconds: number): string {
  const rate = milliseconds > 0 ? Math.round((count / milliseconds) * 1000) : 0
  return `${count.toLocaleString('en')} (${rate.toLocaleString('en')} a second)`
}
