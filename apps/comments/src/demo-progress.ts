import { Presets, SingleBar } from 'cli-progress'
import type { Logger } from 'pino'
import type { FillOptions } from './demo/fill-demo-data.ts'

/** Shows how far the filling of demo data is. */
export interface DemoProgress {
  readonly update: NonNullable<FillOptions['onProgress']>
  stop(): void
}

/** A bar on a terminal; elsewhere a line in the log when it begins and when it is done. */
export function demoProgress(logger: Logger): DemoProgress {
  const format = 'demo data {bar} {percentage}% | {value}/{total} | {eta_formatted} left'
  const bar = new SingleBar({ stream: process.stderr, clearOnComplete: true, format }, Presets.shades_classic)
  let begun = false
  let done = false
  return {
    update({ written, total }) {
      if (!begun) {
        if (process.stderr.isTTY) bar.start(total, written)
        else logger.info({ total }, 'filling in demo data')
      }
      begun = true
      bar.update(written)
      if (written === total && !done && !process.stderr.isTTY) logger.info({ written }, 'filled in demo data')
      done = written === total
    },
    stop: () => bar.stop(),
  }
}
