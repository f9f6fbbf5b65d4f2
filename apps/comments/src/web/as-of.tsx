import { clockTime, moment } from './words.ts'

/** Up to when changes are counted; nothing where that is not known. */
export function AsOf({ time }: { time: string | null }) {
  return time === null ? null : (
    <>
      As of{' '}
      <time datetime={time} title={moment(time)}>
        {clockTime(time)}
      </time>
      .
    </>
  )
}
