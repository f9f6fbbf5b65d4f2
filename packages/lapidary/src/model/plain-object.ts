/** Whether an object is of no class. Also where it was made in another context of the process, which has classes of its own. */
export function isPlainObject(value: object): boolean {
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
