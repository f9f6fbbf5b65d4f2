/** Does something with each item, with so many at a time; where one fails, once what was begun is over. */
export async function inLanes<T>(items: Iterable<T>, lanes: number, act: (item: T) => Promise<unknown>): Promise<void> {
  const left = items[Symbol.iterator]()
  const lane = async (): Promise<void> => {
    for (let next = left.next(); next.done !== true; next = left.next()) await act(next.value)
  }
  const all = await Promise.allSettled(Array.from({ length: lanes }, lane))
  for (const each of all) if (each.status === 'rejected') throw each.reason
}
