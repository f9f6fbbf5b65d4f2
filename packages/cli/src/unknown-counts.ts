import type { DerivedState } from 'lapidary'
import type { Session } from './session.ts'

/** A state in which something is not known. */
export type UnknownState = DerivedState & { readonly state: Exclude<DerivedState['state'], 'ready'> }

/** Declared counts and leaderboards that are not known. Page indexes, which may be left unbuilt, are not among them. */
export async function unknownCounts({ database }: Session): Promise<readonly UnknownState[]> {
  const states = await database.derived.states()
  return states.filter((each): each is UnknownState => {
    return each.isDeclared && each.name !== 'pages' && each.state !== 'ready'
  })
}
