import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { escapeComponent, unescapeComponent } from '../../model/key-text.ts'
import { ByteReader, ByteWriter } from '../bytes.ts'
import { packBits, unpackBits, widthOf } from './bits.ts'

/** Tells which values of a facet are asked for. */
export interface ValueTest {
  /** By the text of a key. */
  text(text: string): boolean
  /** The same of a number, for a facet of numbers; by the text when not given. */
  readonly number?: (value: number) => boolean
}

/** The values of one facet in the rows of a block. */
export interface Column {
  readonly rows: number
  /** The text that a row has: that of a key, or several with a mark between. */
  textOf(row: number): string
  /** Marks each row by 1 whose value passes, else by 0. */
  mask(test: ValueTest): Uint8Array
  /** How many of the rows that are marked by 1 have each text. */
  tally(mask: Uint8Array): ReadonlyMap<string, number>
  /** A column of so many of the rows, spread over all: of columns of as many rows the same ones. */
  sample(rows: number): Column
}

/** A text for each code, or a number: whichever form takes fewer bytes. */
const DICTIONARY = 0
const NUMBERS = 1
/** Added to the form where each code takes whole bytes, and all is deflated: so it is where values come in runs, or some more often than others. */
const DEFLATED = 2

/** Numbers themselves, or times, which read `2026-11-25T10:00:00.000Z`. */
const PLAIN = 0
const TIMES = 1
/** A text that no value has: of a facet that an item lacks. */
const NO_VALUE = '%~'
const MOST_BITS = 45
const MOST_DECIMALS = 6
const TIME = /^\d{4}-\d\d-\d\dT/

/** Packs the texts of the rows of a block. */
export function packColumn(texts: readonly string[]): Uint8Array {
  const packed = [...variants(DICTIONARY, dictionaryOf(texts)), ...variants(NUMBERS, numbersOf(texts))]
  return packed.reduce((least, each) => (each.byteLength < least.byteLength ? each : least))
}

/** What a form says before its codes. */
interface Coded {
  readonly head: Uint8Array
  readonly codes: readonly number[]
  readonly most: number
}

function variants(form: number, coded: Coded | undefined): readonly Uint8Array[] {
  if (coded === undefined) return []
  const width = widthOf(coded.most)
  const bytesEach = Math.ceil(width / 8)
  const plain = formed(form, coded, width, [coded.head, packBits(coded.codes, width)])
  if (width === 0) return [plain]
  const whole = Buffer.concat([coded.head, packBits(coded.codes, bytesEach * 8)])
  return [plain, formed(form + DEFLATED, coded, bytesEach, [deflateRawSync(whole)])]
}

function formed(form: number, { codes }: Coded, width: number, bodies: readonly Uint8Array[]): Uint8Array {
  const writer = new ByteWriter()
  writer.number(form)
  writer.number(codes.length)
  writer.number(width)
  for (const body of bodies) writer.bytes(body)
  return writer.done()
}

/** Texts by how often they come: the first take the lowest codes. */
function dictionaryOf(texts: readonly string[]): Coded {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  const known = [...counts].sort(([, a], [, b]) => b - a).map(([text]) => text)
  const codeOf = new Map(known.map((text, code) => [text, code]))
  const writer = new ByteWriter()
  writer.number(known.length)
  for (const text of known) writer.text(text)
  return { head: writer.done(), codes: texts.map((text) => codeOf.get(text) ?? 0), most: Math.max(0, known.length - 1) }
}

/** Numbers or times, by what they are above the least, in whole steps; undefined where some text is neither. */
function numbersOf(texts: readonly string[]): Coded | undefined {
  const given = texts.filter((text) => text !== NO_VALUE).map(unescapeComponent)
  const [first] = given
  if (first === undefined) return undefined
  const kind = TIME.test(first) ? TIMES : PLAIN
  const decimals = kind === TIMES ? 0 : decimalsOf(given)
  if (decimals === undefined) return undefined
  const whole = given.map((text) => wholeOf(kind, decimals, text))
  if (given.some((text, i) => textFrom(kind, decimals, whole[i] as number) !== text)) return undefined
  const least = whole.reduce((a, b) => Math.min(a, b))
  // What is above the least would lose its last digits.
  if (!Number.isSafeInteger(whole.reduce((a, b) => Math.max(a, b)) - least)) return undefined
  const step = whole.reduce((divisor, each) => greatestDivisor(divisor, each - least), 0) || 1
  const codes: number[] = []
  let next = 0
  for (const text of texts) codes.push(text === NO_VALUE ? 0 : ((whole[next++] as number) - least) / step + 1)
  const most = codes.reduce((a, b) => Math.max(a, b))
  if (widthOf(most) > MOST_BITS) return undefined
  const writer = new ByteWriter()
  writer.number(kind)
  writer.number(decimals)
  writer.double(least)
  writer.double(step)
  return { head: writer.done(), codes, most }
}

/** How many decimals all texts have at most; undefined where one is no number that can be told exactly. */
function decimalsOf(texts: readonly string[]): number | undefined {
  let most = 0
  for (const text of texts) {
    if (String(Number(text)) !== text || !Number.isFinite(Number(text))) return undefined
    if (text.includes('e')) return undefined
    const point = text.indexOf('.')
    if (point >= 0) most = Math.max(most, text.length - point - 1)
  }
  return most > MOST_DECIMALS ? undefined : most
}

function wholeOf(kind: number, decimals: number, text: string): number {
  return kind === TIMES ? Date.parse(text) : Math.round(Number(text) * 10 ** decimals)
}

function textFrom(kind: number, decimals: number, whole: number): string | undefined {
  if (!Number.isSafeInteger(whole)) return undefined
  return kind === TIMES ? new Date(whole).toISOString() : String(whole / 10 ** decimals)
}

function greatestDivisor(a: number, b: number): number {
  let [x, y] = [a, b]
  while (y !== 0) [x, y] = [y, x % y]
  return x
}

/** Returns the column that {@link packColumn} has packed. */
export function unpackColumn(bytes: Uint8Array): Column {
  const reader = new ByteReader(bytes)
  const form = reader.number()
  const rows = reader.number()
  const width = reader.number()
  const body = form >= DEFLATED ? new ByteReader(inflateRawSync(reader.rest())) : reader
  const values = form % DEFLATED === DICTIONARY ? textsFrom(body) : numbersFrom(body)
  const codes = unpackBits(body.rest(), form >= DEFLATED ? width * 8 : width, rows)
  return columnFrom(values, codes)
}

/** What codes stand for. */
interface Values {
  textOf(code: number): string
  passing(test: ValueTest): (code: number) => boolean
}

function columnFrom(values: Values, codes: Float64Array): Column {
  const rows = codes.length
  return {
    rows,
    textOf: (row) => values.textOf(codes[row] as number),
    mask(test) {
      const passing = values.passing(test)
      const mask = new Uint8Array(rows)
      for (let row = 0; row < rows; row++) if (passing(codes[row] as number)) mask[row] = 1
      return mask
    },
    tally(mask) {
      const counts = new Map<number, number>()
      for (let row = 0; row < rows; row++) {
        if (mask[row] === 1) counts.set(codes[row] as number, (counts.get(codes[row] as number) ?? 0) + 1)
      }
      return new Map([...counts].map(([code, count]) => [values.textOf(code), count]))
    },
    sample(most) {
      const step = rows / most
      return columnFrom(
        values,
        Float64Array.from({ length: most }, (_, row) => codes[Math.floor(row * step)] as number),
      )
    },
  }
}

function textsFrom(reader: ByteReader): Values {
  const texts = Array.from({ length: reader.number() }, () => reader.text())
  return {
    textOf: (code) => texts[code] ?? '',
    passing(test) {
      const passes = texts.map((text) => test.text(text))
      return (code) => passes[code] === true
    },
  }
}

function numbersFrom(reader: ByteReader): Values {
  const [kind, decimals] = [reader.number(), reader.number()]
  const [least, step] = [reader.double(), reader.double()]
  const textOf = (code: number): string =>
    code === 0 ? NO_VALUE : escapeComponent(textFrom(kind, decimals, least + (code - 1) * step) ?? '')
  return {
    textOf,
    passing(test) {
      const { number } = test
      const isNull = test.text(NO_VALUE)
      if (kind === PLAIN && number !== undefined) {
        return (code) => (code === 0 ? isNull : number((least + (code - 1) * step) / 10 ** decimals))
      }
      return (code) => test.text(textOf(code))
    },
  }
}
