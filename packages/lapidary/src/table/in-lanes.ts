/** Runs an action on each item, this many at a time. After a failure it begins no more, and throws once those under way are over. */
export async function inLanes<T>(items: Iterable<T>, lanes: number, act: (item: T) => Promise<unknown>): Promise<void> {
  const left = items[Symbol.iterator]()
  let hasFailed = false
  const lane = async (): Promise<void> => {
    try {
      for (let next = left.next(); next.done !== true && !hasFailed; next = left.next()) await act(next.value)
    } catch (error) {
      hasFailed = true
      throw error
    }
  }
  const all = await Promise.allSettled(Array.from({ length: lanes }, lane))
  for (const each of all) if (each.status === 'rejected') throw each.reason
}
