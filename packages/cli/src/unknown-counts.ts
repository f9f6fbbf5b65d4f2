import type { DerivedState } from 'lapidary'
import type { Session } from './session.ts'

/** A state of derived data in which something is not known. */
export type UnknownState = DerivedState & { readonly state: Exclude<DerivedState['state'], 'ready'> }

/** Returns the declared counts and leaderboards that are not known. Page indexes may be left unbuilt, so they are not among them. */
export async function unknownCounts({ database }: Session): Promise<readonly UnknownState[]> {
  const states = await database.derived.states()
  return states.filter((each): each is UnknownState => {
    return each.isDeclared && each.name !== 'pages' && each.state !== 'ready'
  })
}
