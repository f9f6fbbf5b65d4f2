import { describe, expect, it } from 'vitest'
import { cell, displayWidth, textTable } from './text-table.ts'

describe('a table of text', () => {
  it('is as wide as the terminal, and cuts no column that stays whole', () => {
    const text = textTable(['id', 'text'], [['0123456789', 'a long text that has to give way']], 24, 1)
    expect(text.split('\n')[2]).toBe('0123456789  a long text…')
  })

  it('counts wide characters twice and combining ones not at all', () => {
    expect(displayWidth('日本')).toBe(4)
    expect(displayWidth('e\u0301')).toBe(1)
    expect(cell('日本語', 4)).toBe('日…')
  })

  it('lets no control character through to the terminal', () => {
    expect(cell('a\u001b[2Jb\r\nc\u202e', 40)).toBe('a [2Jb c')
  })

  it('puts numbers to the right', () => {
    expect(
      textTable(
        ['n', 'x'],
        [
          [5, 'a'],
          [10, 'b'],
        ],
        80,
      ),
    ).toBe(' n  x\n──  ─\n 5  a\n10  b\n')
  })
})
