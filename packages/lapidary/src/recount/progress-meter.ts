import type { MaintenanceProgress } from './maintenance-options.ts'

const PROGRESS_MS = 500

export interface ProgressMeterOptions {
  readonly onProgress: ((progress: MaintenanceProgress) => void) | undefined
  /** Milliseconds on a monotonic clock. */
  readonly now: () => number
  readonly capacity: () => number
}

/** Tells twice a second how far it is, and from the pace of a phase how long the rest takes. */
export class ProgressMeter {
  done = 0
  total: number | undefined
  differences = 0
  readonly #options: ProgressMeterOptions
  #phase: MaintenanceProgress['phase'] = 'stream'
  #counted: (() => number) | undefined
  #began = 0
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(options: ProgressMeterOptions) {
    this.#options = options
  }

  /** @param counted Tells what is done, where {@link done} is not kept. */
  enter(phase: MaintenanceProgress['phase'], total?: number, counted?: () => number): void {
    const { onProgress, now } = this.#options
    if (onProgress !== undefined) this.#timer ??= setInterval(() => this.#tell(onProgress), PROGRESS_MS)
    this.#phase = phase
    this.#began = now()
    this.done = 0
    this.total = total
    this.#counted = counted
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** What a caller's own function throws ends nothing. */
  #tell(onProgress: (progress: MaintenanceProgress) => void): void {
    try {
      onProgress(this.#progress())
    } catch {}
  }

  #progress(): MaintenanceProgress {
    const { differences } = this
    const done = this.#counted?.() ?? this.done
    const { now, capacity } = this.#options
    const total = this.total === undefined || done > this.total ? undefined : this.total
    const leftMs = total === undefined || done === 0 ? undefined : ((now() - this.#began) / done) * (total - done)
    return { phase: this.#phase, done, total, leftMs, capacity: Math.round(capacity()), differences }
  }
}
