/** Tells whether an object is of no class, also where another context of the process made it, with classes of its own. */
export function isPlainObject(value: object): boolean {
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
