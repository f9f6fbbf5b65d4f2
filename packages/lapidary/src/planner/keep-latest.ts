/** Keeps a value as the latest of a memory. Of more than `most`, the one that was kept longest ago goes. */
export function keepLatest<K, V>(memory: Map<K, V>, key: K, value: V, most: number): void {
  memory.delete(key)
  memory.set(key, value)
  for (const oldest of memory.keys()) {
    if (memory.size <= most) return
    memory.delete(oldest)
  }
}
