import type { DerivedStates } from '../derived/register/derived-states.ts'
import type { Shape } from '../derived/register/shape.ts'
import type { CollectionLayout } from '../layouts/layout.ts'
import type { Refusal } from '../layouts/refusal.ts'
import type { UnknownReason } from '../model/unknown-reason.ts'
import type { IndexStates } from '../schema/index-states.ts'

/** Reasons for which lists lack entries. Changes that no process has counted yet are not among them: their duplicates still come. */
const MISSING: readonly (UnknownReason | undefined)[] = ['absent', 'filling', 'abandoned', 'gap']

/** Returns index states that refuse lists of duplicates while duplicates are missing. */
export function keptLists(
  states: IndexStates,
  { indexes }: Pick<CollectionLayout, 'indexes'>,
  shape: Shape,
  derivedStates: Pick<DerivedStates, 'unknown'>,
): IndexStates {
  return {
    ...states,
    async unusable() {
      const [unusable, reason] = await Promise.all([states.unusable(), derivedStates.unknown(shape)])
      if (!MISSING.includes(reason)) return unusable
      const refusal: Refusal = { kind: 'duplicates' }
      return new Map([...indexes.map(({ name }) => [name, refusal] as const), ...unusable])
    },
  }
}
