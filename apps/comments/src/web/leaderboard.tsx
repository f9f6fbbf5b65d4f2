import { productPath } from './links.ts'
import type { RankedProduct } from './settings.ts'
import { count } from './words.ts'

/** Products by their number of 5-star comments; equal counts share a rank. */
export function Leaderboard({ entries }: { entries: readonly RankedProduct[] }) {
  const most = Math.max(1, ...entries.map((entry) => entry.count))
  return (
    <section class="sheet leaderboard" aria-labelledby="leaderboard-title">
      <h2 id="leaderboard-title">Most 5-star comments</h2>
      <ol class="leaders">
        {entries.map((entry) => (
          <li>
            <a class="leader" href={productPath(entry.productId)}>
              <span class="leader-rank">{entry.rank}</span>
              <span class="leader-name" dir="auto">
                {entry.productId}
              </span>
              <svg class="bar" height="10" aria-hidden="true">
                <rect class="bar-fill" width={`${((100 * entry.count) / most).toFixed(2)}%`} height="10" rx="2" />
              </svg>
              <span class="leader-count">{count(entry.count, 'comment')}</span>
            </a>
          </li>
        ))}
      </ol>
    </section>
  )
}
