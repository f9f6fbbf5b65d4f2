import type { JSX } from 'hono/jsx/jsx-runtime'
import type { ExplainedPlan } from 'lapidary'
import { decimal } from '../web/words.ts'

/** Shows the plans that were not taken, beside the chosen one: the shortest bar won. */
export function RejectedPlans({ plan }: { plan: ExplainedPlan }): JSX.Element | null {
  const { rejected, lists, roundPrice, text } = plan
  if (rejected.length === 0) return null
  const priced = (rcu: number, rounds: number | null): number => rcu + roundPrice * Math.max(0, (rounds ?? 1) - 1)
  const chosen = { text, rcu: lists.rcu, price: priced(lists.rcu, lists.rounds), reason: 'chosen' }
  const others = rejected.map(({ text: other, rcu, rounds, reason }) => ({
    ...{ text: other, rcu, reason },
    price: rcu === null ? null : priced(rcu, rounds),
  }))
  const most = Math.max(chosen.price, ...others.map(({ price }) => price ?? 0), 0.5)
  return (
    <>
      <h2>Other ways</h2>
      <table class="choice">
        <thead>
          <tr>
            <th scope="col">Plan</th>
            <th scope="col" class="number">
              RCU
            </th>
            <th scope="col" class="number">
              With rounds
              <small class="head-note">RCU, and {decimal(roundPrice)} for each round after the first</small>
            </th>
            <th scope="col">Why not</th>
          </tr>
        </thead>
        <tbody>
          {[chosen, ...others].map(({ text: line, rcu, price, reason }, i) => (
            <tr class={i === 0 ? 'chosen' : undefined}>
              <th scope="row">
                <code>{line.split(' -- ')[0]}</code>
                {price === null ? null : (
                  <svg class="choice-bar" aria-hidden="true" height="4">
                    <rect width={`${((100 * price) / most).toFixed(1)}%`} height="4" />
                  </svg>
                )}
              </th>
              <td class="number">{rcu === null ? '–' : decimal(rcu)}</td>
              <td class="number">{price === null ? '–' : decimal(price)}</td>
              <td>{reason}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}
