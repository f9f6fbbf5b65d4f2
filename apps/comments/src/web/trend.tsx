import type { RatedMonth, RatingTrend } from '../rating-trend.ts'
import { useReader, useWords } from './reader.ts'

export interface TrendProps {
  readonly trend: RatingTrend
}

/** The measures of the chart, in its own units, which are about a pixel on a phone. */
const STEP = 14
const LEFT = 20
const TOP = 10
/** The height of a star, from 1 up to 5. */
const STAR = 22
const STARS_HEIGHT = 4 * STAR
const BARS_TOP = TOP + STARS_HEIGHT + 16
const BARS_HEIGHT = 30
const BOTTOM = BARS_TOP + BARS_HEIGHT
const HEIGHT = BOTTOM + 18
/** Months between two that are named. */
const NAMED = 6

/**
 * Shows the mean rating by month as a line, and the comments that it is of as bars below: a mean of few says little. A reader who does not see the
 * chart gets the same as a table.
 */
export function Trend({ trend: { months, rcu } }: TrendProps) {
  const { plansFirst, words } = useReader()
  const { number, rcu: shownRcu, say } = words
  const { trend } = say.votes
  return (
    <section class="sheet trend-sheet" aria-labelledby="trend-title" id="trend-chart">
      <h2 class="trend-title" id="trend-title" tabindex={-1}>
        {trend.title}
      </h2>
      {months === null ? <p>{trend.unknown}</p> : null}
      {months?.length === 0 ? <p>{trend.none}</p> : null}
      {months === null || months.length === 0 ? null : (
        <>
          <p class="trend-what">
            {trend.since(number(months.length))} · {trend.average}, {trend.comments}
          </p>
          <Chart months={months} />
          <Table months={months} caption={trend.chart} />
        </>
      )}
      {plansFirst ? <p class="as-of trend-cost">{say.board.read(shownRcu(rcu))}</p> : null}
    </section>
  )
}

function Chart({ months }: { readonly months: readonly RatedMonth[] }) {
  const { average, count, month, number } = useWords()
  const most = Math.max(1, ...months.map(({ total }) => total))
  const width = LEFT + months.length * STEP + 4
  const xOf = (i: number): number => LEFT + i * STEP + STEP / 2
  return (
    <svg class="trend-chart" viewBox={`0 0 ${width} ${HEIGHT}`} aria-hidden="true" focusable="false">
      {[1, 2, 3, 4, 5].map((star) => (
        <>
          <line class="trend-grid" x1={LEFT} x2={width} y1={yOf(star)} y2={yOf(star)} />
          <text class="trend-label" x={LEFT - 6} y={yOf(star) + 4} text-anchor="end">
            {number(star)}
          </text>
        </>
      ))}
      <line class="trend-grid" x1={LEFT} x2={width} y1={BOTTOM} y2={BOTTOM} />
      {months.map(({ from, total, average: mean }, i) => {
        const height = total === 0 ? 0 : Math.max(1.5, (BARS_HEIGHT * total) / most)
        return (
          <g>
            <title>{`${month(from)}: ${mean === null ? '' : `${average(mean)} ★, `}${count(total, 'comment')}`}</title>
            <rect class="trend-hit" x={LEFT + i * STEP} y={TOP - 8} width={STEP} height={BOTTOM - TOP + 8} />
            <rect
              class="trend-bar"
              x={LEFT + i * STEP + 3}
              y={BOTTOM - height}
              width={STEP - 6}
              height={height}
              rx="1"
            />
          </g>
        )
      })}
      {linesOf(months).map((points) => (
        <polyline class="trend-line" points={points.map(({ i, mean }) => `${xOf(i)},${yOf(mean)}`).join(' ')} />
      ))}
      {months.map(({ average: mean }, i) =>
        mean === null ? null : <circle class="trend-dot" cx={xOf(i)} cy={yOf(mean)} r="2.5" />,
      )}
      {months.map(({ from }, i) =>
        (months.length - 1 - i) % NAMED === 0 && i > 0 ? (
          <text class="trend-label" x={xOf(i)} y={BOTTOM + 14} text-anchor={i === months.length - 1 ? 'end' : 'middle'}>
            {month(from)}
          </text>
        ) : null,
      )}
    </svg>
  )
}

function yOf(rating: number): number {
  return Number((TOP + STARS_HEIGHT - (rating - 1) * STAR).toFixed(1))
}

/** Returns the months with a mean, each run of neighbours together: over a month without one goes no line. */
function linesOf(months: readonly RatedMonth[]): readonly (readonly { i: number; mean: number }[])[] {
  const lines: { i: number; mean: number }[][] = [[]]
  for (const [i, { average }] of months.entries()) {
    if (average === null) lines.push([])
    else lines.at(-1)?.push({ i, mean: average })
  }
  return lines.filter((line) => line.length > 1)
}

function Table({ months, caption }: { readonly months: readonly RatedMonth[]; readonly caption: string }) {
  const { average, month, number, say } = useWords()
  const { trend } = say.votes
  return (
    <table class="visually-hidden">
      <caption>{caption}</caption>
      <thead>
        <tr>
          <th scope="col">{trend.month}</th>
          <th scope="col">{trend.average}</th>
          <th scope="col">{trend.comments}</th>
        </tr>
      </thead>
      <tbody>
        {months.map(({ from, total, average: mean }) => (
          <tr>
            <th scope="row">{month(from)}</th>
            <td>{mean === null ? trend.noneInMonth : average(mean)}</td>
            <td>{number(total)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
