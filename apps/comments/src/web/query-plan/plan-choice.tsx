import type { ExplainedPlan } from 'lapidary'
import { useWords } from '../reader.ts'
import { stepsOf } from './plan-steps.ts'
import { RefusedIndex } from './refused-index.tsx'

interface Priced {
  readonly text: string
  readonly rcu: number
  readonly rounds: number
  /** RCU with the price of extra rounds, by which the planner compares plans. */
  readonly price: number
}

/** Shows the chosen plan beside the others: the shortest bar won. */
export function PlanChoice({ plan }: { plan: ExplainedPlan }) {
  const { rcu, say } = useWords()
  const { rejected, lists, roundPrice, text } = plan
  if (rejected.length === 0) return null
  const priced = (text: string, rcu: number, rounds: number): Priced => ({
    text: stepsOf(text),
    rcu,
    rounds,
    price: rcu + roundPrice * Math.max(0, rounds - 1),
  })
  const chosen = priced(text, lists.rcu, lists.rounds)
  const others = rejected.flatMap(({ text, rcu, rounds }) =>
    rcu === null || rounds === null ? [] : [priced(text, rcu, rounds)],
  )
  const refused = rejected.flatMap(({ text, refusal }) => (refusal === undefined ? [] : [{ index: text, refusal }]))
  const most = Math.max(chosen.price, ...others.map(({ price }) => price))
  return (
    <>
      <h3 id="choice-title">{say.plan.why}</h3>
      <table class="choice" aria-labelledby="choice-title">
        <thead>
          <tr>
            <th scope="col">{say.plan.plan}</th>
            <th scope="col" class="number">
              RCU
            </th>
            <th scope="col" class="number">
              {say.plan.rounds}
            </th>
            <th scope="col" class="number">
              {say.plan.withRounds}
              {roundPrice === 0 ? null : <small class="head-note">{say.plan.withRoundsMeans(rcu(roundPrice))}</small>}
            </th>
          </tr>
        </thead>
        <tbody>
          <ChoiceRow plan={chosen} most={most} chosen />
          {others.map((other) => (
            <ChoiceRow plan={other} most={most} />
          ))}
        </tbody>
      </table>
      <p class="plan-note">{say.plan.priced}</p>
      {refused.length === 0 ? null : (
        <ul class="plan-limits">
          {refused.map((one) => (
            <li>
              <RefusedIndex {...one} />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function ChoiceRow({ plan, most, chosen = false }: { plan: Priced; most: number; chosen?: boolean }) {
  const { exactRcu, say } = useWords()
  const { text, rounds, price } = plan
  return (
    <tr class={chosen ? 'chosen' : 'rejected'}>
      <th scope="row">
        {chosen ? <b class="chosen-mark">{say.plan.taken}</b> : null} <code>{text}</code>
        <svg class="choice-bar" height="6" aria-hidden="true">
          <rect width={`${most === 0 ? 0 : ((100 * price) / most).toFixed(1)}%`} height="6" rx="2" />
        </svg>
      </th>
      <td class="number" data-label="RCU">
        {exactRcu(plan.rcu)}
      </td>
      <td class="number" data-label={say.plan.rounds}>
        {exactRcu(rounds)}
      </td>
      <td class="number" data-label={say.plan.withRounds}>
        <b>{exactRcu(price)}</b>
      </td>
    </tr>
  )
}
