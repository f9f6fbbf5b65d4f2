/** Spreads texts evenly over shards, the same on every machine: FNV-1a, 32 bits. */
export function shardOf(text: string, shards: number): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  return (hash >>> 0) % shards
}
