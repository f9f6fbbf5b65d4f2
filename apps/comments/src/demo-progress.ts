import { Presets, SingleBar } from 'cli-progress'
import type { Logger } from 'pino'

/** Shows the progress of filling in demo data, and then of counting it. */
export interface DemoProgress {
  filled(progress: { readonly written: number; readonly total: number }): void
  /** @param share From 0 to 1. */
  counted(share: number): void
  stop(): void
}

/** Makes a bar on a terminal; elsewhere a line in the log when a step begins and when it is done. */
export function demoProgress(logger: Logger): DemoProgress {
  const filling = createStep(logger, { bar: 'demo data', begin: 'filling in demo data', end: 'filled in demo data' })
  const counting = createStep(logger, { bar: 'counting ', begin: 'counting demo data', end: 'counted demo data' })
  return {
    filled: ({ written, total }) => filling.update(written, total),
    counted(share) {
      filling.stop()
      counting.update(Math.round(share * 100), 100)
    },
    stop() {
      filling.stop()
      counting.stop()
    },
  }
}

interface StepNames {
  readonly bar: string
  readonly begin: string
  readonly end: string
}

function createStep(logger: Logger, names: StepNames): { update(value: number, total: number): void; stop(): void } {
  const format = `${names.bar} {bar} {percentage}% | {value}/{total} | {eta_formatted} left`
  const bar = new SingleBar({ stream: process.stderr, clearOnComplete: true, format }, Presets.shades_classic)
  const isTerminal = process.stderr.isTTY
  let begun = false
  let done = false
  return {
    update(value, total) {
      if (!begun && isTerminal) bar.start(total, value)
      else if (!begun) logger.info({ total }, names.begin)
      begun = true
      bar.update(value)
      if (value === total && !done && !isTerminal) logger.info({ total }, names.end)
      done = value === total
    },
    stop: () => bar.stop(),
  }
}
