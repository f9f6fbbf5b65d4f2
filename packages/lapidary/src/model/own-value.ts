/** Returns an object's own member. Facets, attributes and indexes may have the name of a member that every object inherits, such as `constructor`. */
export function ownValue<R extends object, K extends PropertyKey>(
  record: R,
  name: K,
): (K extends keyof R ? R[K] : R[keyof R & string]) | undefined {
  return Object.hasOwn(record, name) ? (record as never)[name] : undefined
}
