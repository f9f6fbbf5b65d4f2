import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { escapeComponent, unescapeComponent } from '../../model/key-text.ts'
import { ByteReader, ByteWriter } from '../bytes.ts'
import { MOST_BITS, packCodes, unpackCodes, widthOf } from './bits.ts'

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
/** Added to the form where only what is before the codes is deflated: many texts, that are like each other. */
const HEAD_DEFLATED = 4

/** Numbers themselves, or times, which read `2026-11-25T10:00:00.000Z`. */
const PLAIN = 0
const TIMES = 1
/** A text that no value has: of a facet that an item lacks. */
const NO_VALUE = '%~'
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
  const { head, codes, most } = coded
  const packed = packCodes(codes, most + 1)
  const deflatedHead = deflateRawSync(head)
  const length = new ByteWriter()
  length.number(deflatedHead.byteLength)
  const bytes = Buffer.concat([head, packCodes(codes, 256 ** bytesEach(most))])
  return [
    formed(form, coded, [head, packed]),
    formed(form + HEAD_DEFLATED, coded, [length.done(), deflatedHead, packed]),
    formed(form + DEFLATED, coded, [deflateRawSync(bytes)]),
  ]
}

/** Whole bytes that a code takes; none where there is only one. */
function bytesEach(most: number): number {
  return Math.ceil(widthOf(most) / 8)
}

function formed(form: number, { codes, most }: Coded, bodies: readonly Uint8Array[]): Uint8Array {
  const writer = new ByteWriter()
  writer.number(form)
  writer.number(codes.length)
  writer.number(most)
  for (const body of bodies) writer.bytes(body)
  return writer.done()
}

function dictionaryOf(texts: readonly string[]): Coded {
  const known = [...new Set(texts)].sort()
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
  const most = reader.number()
  const isDictionary = form % DEFLATED === DICTIONARY
  const valuesFrom = isDictionary ? textsFrom : numbersFrom
  if (form >= HEAD_DEFLATED) {
    const head = new ByteReader(inflateRawSync(reader.bytes(reader.number())))
    return columnFrom(valuesFrom(head), unpackCodes(reader.rest(), most + 1, rows))
  }
  const isDeflated = form >= DEFLATED
  const body = isDeflated ? new ByteReader(inflateRawSync(reader.rest())) : reader
  const values = valuesFrom(body)
  return columnFrom(values, unpackCodes(body.rest(), isDeflated ? 256 ** bytesEach(most) : most + 1, rows))
}

/** What codes stand for. */
interface Values {
  textOf(code: number): string
  passing(test: ValueTest): (code: number) => boolean
  /** A column of some codes that holds no more than they stand for; the values hold little themselves when not given. */
  readonly among?: (codes: Float64Array) => Column
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
      const some = Float64Array.from({ length: most }, (_, row) => codes[Math.floor(row * step)] as number)
      return values.among?.(some) ?? columnFrom(values, some)
    },
  }
}

function textsFrom(reader: ByteReader): Values {
  return textValues(Array.from({ length: reader.number() }, () => reader.text()))
}

function textValues(texts: readonly string[]): Values {
  return {
    textOf: (code) => texts[code] ?? '',
    among(codes) {
      const own = [...new Set(codes)]
      const numbers = new Map(own.map((code, i) => [code, i]))
      return columnFrom(
        textValues(own.map((code) => texts[code] ?? '')),
        codes.map((code) => numbers.get(code) as number),
      )
    },
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
      const passes = new Map<number, boolean>()
      return (code) => {
        const known = passes.get(code) ?? test.text(textOf(code))
        passes.set(code, known)
        return known
      }
    },
  }
}
