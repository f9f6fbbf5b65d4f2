/** What an object itself has under a name: facets, attributes and indexes may be named as members of every object are, `constructor`. */
export function ownValue<R extends object, K extends PropertyKey>(
  record: R,
  name: K,
): (K extends keyof R ? R[K] : R[keyof R & string]) | undefined {
  return Object.hasOwn(record, name) ? (record as never)[name] : undefined
}
