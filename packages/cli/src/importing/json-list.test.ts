import fc from 'fast-check'
import { jsonLines } from 'lapidary/transfer'
import { expect, it } from 'vitest'
import { jsonList } from './json-list.ts'

async function* chunksOf(text: string, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function read(text: string, size = 7): Promise<readonly (readonly [line: number, value: unknown])[]> {
  const list = jsonList(chunksOf(text, size), 'a.json')
  const found: (readonly [number, unknown])[] = []
  for await (const { line, value, problem } of jsonLines(list.lines))
    found.push([list.lineOf(line), problem === undefined ? value : `refused: ${problem.slice(0, 11)}`])
  return found
}

const awkward = fc.string({
  unit: fc.constantFrom('"', '\\', '[', ']', '{', '}', ',', '\n', '\u2028', 'é', '😀', ' ', 'a'),
})
const item = fc.dictionary(
  awkward,
  fc.oneof(awkward, fc.array(awkward), fc.dictionary(awkward, awkward), fc.integer({ min: -9, max: 9 }), fc.boolean()),
  { maxKeys: 4 },
)

it('has the items of any list, however it is written and however its bytes are cut', async () => {
  const around = fc.constantFrom<(text: string) => string>(
    (text) => text,
    (text) => `\n  ${text}\r\n`,
    (text) => `{"meta": {"of": "[x]"}, "data": ${text}, "links": [1, 2]}`,
  )
  const indents = fc.constantFrom(undefined, 2, '\t')
  await fc.assert(
    fc.asyncProperty(
      fc.array(item),
      indents,
      around,
      fc.integer({ min: 1, max: 60 }),
      async (items, indent, by, size) => {
        const text = by(JSON.stringify(items, undefined, indent))
        expect((await read(text, size)).map(([, value]) => value)).toEqual(JSON.parse(JSON.stringify(items)))
      },
    ),
  )
})

it('tells the line of each, and refuses a bad one alone', async () => {
  const text = '[\n{"a": 1},\n{"a": b},\n\n7, {"c":\n2} ,{"d":"x\ny"}, {}}, [3], "e"\n]\n'
  expect(await read(text)).toEqual([
    [2, { a: 1 }],
    [3, 'refused: is not JSON'],
    [5, 7],
    [5, { c: 2 }],
    [6, 'refused: is not JSON'],
    [7, 'refused: is not JSON'],
    [7, [3]],
    [7, 'e'],
  ])
})

it('has no items between commas that have nothing between them', async () => {
  expect((await read('[1,,2,]')).map(([, value]) => value)).toEqual([
    1,
    'refused: is not JSON',
    2,
    'refused: is not JSON',
  ])
  expect(await read('[]')).toEqual([])
  expect(await read('{"data": []}')).toEqual([])
})

it.each([
  ['[{"a":1},{"b":', 'the list is not closed; is the file complete?'],
  ['[{"a":1}]\n{"b":1}', 'line 2: something follows the list'],
  ['{"a": 1}', 'there is no list of items'],
  ['', 'there is no list of items'],
  ['7', 'there is no list of items'],
])('of %j is refused', async (text, message) => {
  await expect(read(text)).rejects.toThrow(message)
})
