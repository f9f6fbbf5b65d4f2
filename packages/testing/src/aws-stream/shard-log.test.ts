import { seededRandom } from 'lapidary/internal'
import { expect, test } from 'vitest'
import { PROMPT_STREAM } from './aws-behaviour.ts'
import { createShardLog } from './shard-log.ts'

test('a shard is split in the middle or anywhere else, into parts that are not too narrow', () => {
  const behaviour = { ...PROMPT_STREAM, splits: 1 }
  const shares: number[] = []
  for (let seed = 1; seed <= 20; seed++) {
    const log = createShardLog({ behaviour, random: seededRandom(seed), seconds: () => 0, note: () => {} })
    for (let times = 0; times < 6; times++) log.rollOver()
    const open = log.shards.filter(({ closed }) => closed === undefined).sort((a, b) => a.from - b.from)
    expect(open.map(({ from }) => from)).toEqual([0, ...open.slice(0, -1).map(({ to }) => to)])
    expect(open.at(-1)?.to).toBe(1)
    for (const { from, to } of open) expect(to - from).toBeGreaterThanOrEqual(1 / 16 - 1e-9)
    const [first] = log.shards.filter(({ parent }) => parent !== undefined)
    shares.push(first === undefined ? 1 : first.to - first.from)
  }
  expect(shares.filter((share) => share === 0.5).length).toBeGreaterThan(4)
  expect(Math.min(...shares)).toBeLessThan(0.2)
  expect(Math.max(...shares)).toBeGreaterThan(0.8)
  expect(Math.max(...shares)).toBeLessThan(1)
})
