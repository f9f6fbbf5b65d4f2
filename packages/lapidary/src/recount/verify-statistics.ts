import { differencesOf } from './difference.ts'
import { Inspection } from './inspection.ts'
import type { Verification, VerifyOptions, WithContext } from './maintenance-options.ts'
import { chooseScopes, readScope, type SampledScope } from './sample-scopes.ts'
import type { Unit } from './tally.ts'

/**
 * Recounts the statistics and leaderboards of all collections of a table from their items, and tells every difference, while
 * the table is written to and the projections run. Reads only: the table once, and what may be wrong once or twice more.
 *
 * @param clients Clients of all collections of the table.
 * @throws {LapidaryError} `aborted`, `unavailable`, `table_mismatch`.
 * @example
 * ```ts
 * const { differenceCount } = await verifyStatistics([lapidary.comments], { clientConfig: { region: 'eu-central-1' } })
 * ```
 */
export async function verifyStatistics(clients: readonly WithContext[], options: VerifyOptions): Promise<Verification> {
  if (options.sample !== undefined) return verifySample(clients, options, options.sample)
  await using inspection = new Inspection(clients, options)
  await inspection.begin()
  const suspects = await different(inspection, await inspection.suspects())
  if (suspects.length > 0) {
    // Should the stream have been slow to tell of a change, it has told of it now.
    await inspection.settle()
    await different(inspection, suspects, true)
  }
  return inspection.result()
}

/** Units that differ at their cuts. */
async function different(inspection: Inspection, units: readonly Unit[], report = false): Promise<readonly Unit[]> {
  const found: Unit[] = []
  for await (const { units: cut, entries } of inspection.cutsOf(units)) {
    for (const unit of cut) {
      const differences = differencesOf(unit, inspection.truth.tally.countsOf(unit), entries)
      if (differences.length === 0) continue
      found.push(unit)
      if (report) inspection.report(differences)
    }
  }
  return found
}

/** Indexes are not consistent, so what differs is listed again: an index is behind for a moment, a wrong counter stays. */
const MOST_LOOKS = 3

async function verifySample(
  clients: readonly WithContext[],
  { onDifference, ...options }: VerifyOptions,
  sample: number,
): Promise<Verification> {
  const contexts = clients.map(({ context }) => context)
  let scopes: readonly SampledScope[] | undefined
  let first: Verification | undefined
  for (let look = 1; ; look++) {
    await using inspection = new Inspection(
      clients,
      look < MOST_LOOKS || onDifference === undefined ? options : { ...options, onDifference },
    )
    scopes ??= await chooseScopes(contexts, sample, inspection.budget, inspection.signal)
    const chosen = scopes
    await inspection.begin(async () => {
      for (const scope of chosen) await readScope(scope, inspection.truth, inspection.budget, inspection.signal)
    })
    const keys = new Set(chosen.map(({ partition }) => partition))
    const units = inspection.truth.tally.units.filter(({ target }) => keys.has(target.PK))
    const found = await different(inspection, units, true)
    const result = await inspection.result(units)
    first ??= result
    if (found.length === 0 || look === MOST_LOOKS)
      return { ...result, items: first.items, units: first.units, compared: first.compared }
    const differing = new Set(found.map(({ target }) => target.PK))
    scopes = chosen.filter(({ partition }) => differing.has(partition))
  }
}
