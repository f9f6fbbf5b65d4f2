import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { KeyTable } from './key-table.ts'

describe('KeyTable', () => {
  it('remembers the last number of each of many keys', () => {
    const table = new KeyTable()
    for (let i = 0; i < 4_000; i++) table.set(`key ${i}`, i + 1)
    for (let i = 0; i < 4_000; i += 3) table.set(`key ${i}`, Number.MAX_SAFE_INTEGER)
    for (let i = 0; i < 4_000; i++) expect(table.get(`key ${i}`)).toBe(i % 3 === 0 ? Number.MAX_SAFE_INTEGER : i + 1)
    expect(table.get('no such key')).toBe(0)
  })

  it('tells keys apart that share a part of their digests', () => {
    const firstWord = (key: string): number => hash('sha256', key, 'buffer').readUInt32LE(0)
    const known = new Map<number, string>()
    let shared: readonly [string, string] | undefined
    for (let i = 0; shared === undefined; i++) {
      const [word, other] = [firstWord(`key ${i}`), known.get(firstWord(`key ${i}`))]
      if (other !== undefined) shared = [other, `key ${i}`]
      known.set(word, `key ${i}`)
    }
    const table = new KeyTable()
    for (const [i, key] of shared.entries()) table.set(key, i + 1)
    expect(shared.map((key) => table.get(key))).toEqual([1, 2])
  })

  it('takes 20 bytes a slot, at most 58 an item', () => {
    const table = new KeyTable()
    expect(table.bytes).toBe(1_024 * 20)
    let most = 0
    for (let i = 1; i <= 12_000; i++) {
      table.set(`key ${i}`, 1)
      if (table.bytes > 1_024 * 20) most = Math.max(most, table.bytes / i)
    }
    expect(most).toBeGreaterThan(50)
    expect(most).toBeLessThanOrEqual(58)
    expect(table.bytes).toBe(32_768 * 20)
  })
})
