import { useWords } from './reader.ts'

/** Shows the time up to which changes are counted; nothing where that is not known. */
export function AsOf({ time }: { time: string | null }) {
  const { clockTime, moment, say } = useWords()
  return time === null ? null : (
    <span class="as-of" title={moment(time)}>
      {say.asOf}{' '}
      <time datetime={time} data-time="clock">
        {clockTime(time)}
      </time>
    </span>
  )
}
