import type { RejectedPlan } from 'lapidary'
import { rcu } from '../words.ts'

/** What the planner could have done instead, and why it did not. */
export function RejectedPlans({ rejected }: { rejected: readonly RejectedPlan[] }) {
  if (rejected.length === 0) return null
  return (
    <>
      <h3 id="rejected-title">Rejected plans</h3>
      <table class="rejected" aria-labelledby="rejected-title">
        <thead>
          <tr>
            <th scope="col">Plan</th>
            <th scope="col" class="number">
              Expected RCU
            </th>
            <th scope="col">Why not</th>
          </tr>
        </thead>
        <tbody>
          {rejected.map((plan) => (
            <tr>
              <td>
                <code>{plan.text.split(' -- ')[0]}</code>
              </td>
              <td class="number" data-label="expected RCU">
                {plan.rcu === null ? '–' : rcu(plan.rcu)}
              </td>
              <td>{plan.reason}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}
