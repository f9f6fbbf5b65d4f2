import type { CostPart, SentRequest } from 'lapidary-http/internal/pages'
import type { Messages } from '../messages/en.ts'

type Names = Messages['plan']['beside']

/** Returns what the parts took that were read beside the list. Registers are of no page. */
export function partsBeside(requests: readonly SentRequest[], names: Names): readonly CostPart[] {
  const parts = new Map<string, number>()
  for (const { part, step, rcu } of requests)
    if (part !== undefined && step !== 'register') parts.set(part, (parts.get(part) ?? 0) + rcu)
  return [...parts].map(([part, rcu]) => ({ kind: 'beside', name: nameOf(part, names), expected: undefined, rcu }))
}

export function nameOf(part: string, names: Names): string {
  return part in names ? names[part as keyof Names] : part
}
