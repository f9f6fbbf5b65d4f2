import { clockTime, moment } from './words.ts'

/** Up to when changes are counted; nothing where that is not known. */
export function AsOf({ time }: { time: string | null }) {
  return time === null ? null : (
    <span title={moment(time)}>
      As of <time datetime={time}>{clockTime(time)}</time>.
    </span>
  )
}
