import { type IndexState, indexWarnings } from 'lapidary'
import type { Finding } from './finding.ts'
import type { Session } from './session.ts'

/** Checks that lists are read from every declared index: lists of an incomplete one would lack items. */
export async function indexCheck(session: Session): Promise<readonly Finding[]> {
  const states = await session.database.table.indexStates()
  const warnings = indexWarnings(session.collection).map(
    (message): Finding => ({ check: 'indexes', ok: true, message }),
  )
  const findings = states.map((state) => findingOf(state, session.collection.name))
  const wrong = findings.filter((finding) => finding !== undefined)
  if (wrong.some(({ ok }) => !ok)) return [...wrong, ...warnings]
  const declared = states.filter((state) => state.declared).length
  return [
    { check: 'indexes', ok: true, message: `lists are read from all ${declared} declared indexes` },
    ...wrong,
    ...warnings,
  ]
}

function findingOf({ collection, index, state, proven, declared }: IndexState, chosen: string): Finding | undefined {
  const name = `${index} of ${collection}`
  const command =
    collection === chosen ? 'lapidary backfill' : 'lapidary backfill --collection (its name in the configuration)'
  if (!declared) {
    const message =
      state === 'absent'
        ? `${name} is not declared here, and the table does not have it; processes go on keeping its keys until ${command} forgets it`
        : `${name} is not declared here; its keys are kept for processes that declare it. Where there are none, delete it with UpdateTable, then run ${command}`
    return { check: 'indexes', ok: true, message }
  }
  if (state === 'ready') {
    if (proven) return undefined
    const message = `${name} was in use before the table kept states; a sample of its items is as declared. ${command} looks at all`
    return { check: 'indexes', ok: true, message }
  }
  // The check of the declaration already reports it.
  if (state === 'absent') return undefined
  const message = `${name} is filling, so no list is read from it`
  return { check: 'indexes', ok: false, message, remedy: `${command} --index ${index}` }
}
