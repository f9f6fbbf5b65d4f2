import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { decode, encode } from 'cborg'
import type { AttributeCodec } from '../model/attribute-codec.ts'
import { LapidaryError } from '../model/errors.ts'
import { knownOptions, type OptionNames } from '../model/known-options.ts'
import { type Dictionary, dictionaryName, ID_BYTES, openDictionary } from './dictionary.ts'

/** Options of a codec that packs attributes. */
export interface PackedOptions {
  /**
   * Attributes that stay unpacked, for programs that read them without the library. Attributes that keys, lists and filters need stay unpacked
   * anyway.
   */
  readonly plain?: readonly string[]
  /** Whether new items are written unpacked, while packed ones are still read. False when not given. */
  readonly readOnly?: boolean
}

/** Options of a codec that packs attributes and deflates them. */
export interface DeflatedOptions extends PackedOptions {
  /** Dictionaries as bytes or files: new items are written with the first; items written with the others are read. */
  readonly dictionaries: readonly (Uint8Array | string | URL)[]
}

const PACKED_NAMES: OptionNames<PackedOptions> = { plain: true, readOnly: true }
const DEFLATED_NAMES: OptionNames<DeflatedOptions> = { ...PACKED_NAMES, dictionaries: true }

/** The first byte says how the rest is read. */
const PACKED = 1
const DEFLATED = 2
/** DynamoDB holds 400 KB of an item; bytes that inflate to more than this were not made by this codec. */
const MOST_BYTES = 16 * 2 ** 20
/** The most memory and time that zlib takes to find repetitions: items are small. */
const BEST = { level: 9, memLevel: 9 } as const

/**
 * Packs attributes as CBOR: names and numbers take fewer bytes. Needs the package `cborg`.
 *
 * @example
 * ```ts run
 * const { unpack, pack } = packed()
 * const values = unpack(pack({ title: 'Sharp', stars: [1, 2, 3] }) ?? new Uint8Array())
 * ```
 */
export function packed(options: PackedOptions = {}): AttributeCodec {
  return codecOf(knownOptions('packed', options, PACKED_NAMES, 'declaration_invalid'), [])
}

/**
 * Packs attributes as CBOR and deflates them with a dictionary trained on items like them. Items that were packed without one, or with one of
 * the other dictionaries, are read too. Needs the package `cborg`.
 *
 * @throws {LapidaryError} `declaration_invalid` without a dictionary.
 * @example
 * ```ts run
 * const dictionary = trainDictionary(comments, [comment, { ...comment, text: 'Good, and sharp.' }])
 * const codec = deflated({ dictionaries: [dictionary] })
 * ```
 */
export function deflated(options: DeflatedOptions): AttributeCodec {
  if (!(options?.dictionaries?.length > 0)) {
    throw new LapidaryError(
      'declaration_invalid',
      'deflated() has no dictionary; train one (lapidary train-dictionary FILE), or say packed()',
    )
  }
  knownOptions('deflated', options, DEFLATED_NAMES, 'declaration_invalid')
  return codecOf(options, options.dictionaries.map(openDictionary))
}

function codecOf({ plain = [], readOnly = false }: PackedOptions, dictionaries: readonly Dictionary[]): AttributeCodec {
  const [current] = dictionaries
  const byName = new Map(dictionaries.map((dictionary) => [dictionary.name, dictionary]))
  return Object.freeze<AttributeCodec>({
    plain: Object.freeze([...plain]),
    pack(values) {
      if (readOnly) return undefined
      const bytes = encode(values)
      if (bytes.byteLength > MOST_BYTES) return undefined
      const small = current && deflateRawSync(bytes, { ...BEST, dictionary: current.bytes })
      if (small === undefined || current === undefined || small.byteLength + ID_BYTES >= bytes.byteLength)
        return joinedBytes([PACKED], bytes)
      return joinedBytes([DEFLATED, ...current.id], small)
    },
    unpack(bytes) {
      const kind = bytes[0]
      if (kind === PACKED) return decoded(bytes.subarray(1))
      if (kind !== DEFLATED) throw unknownForm(bytes)
      const name = dictionaryName(bytes.subarray(1, 1 + ID_BYTES))
      const dictionary = byName.get(name)
      if (dictionary === undefined) throw unknownDictionary(name, [...byName.keys()])
      return decoded(inflated(bytes.subarray(1 + ID_BYTES), dictionary))
    },
    describe(bytes) {
      if (bytes[0] === PACKED) return 'packed (CBOR)'
      if (bytes[0] !== DEFLATED) return `of an unknown form (${bytes[0]})`
      return `packed (CBOR) and deflated with dictionary ${dictionaryName(bytes.subarray(1, 1 + ID_BYTES))}`
    },
  })
}

/** Returns a plain `Uint8Array`, as the SDK makes one, so that a written value equals the value that is read. */
function joinedBytes(head: readonly number[], body: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(head.length + body.byteLength)
  bytes.set(head)
  bytes.set(body, head.length)
  return bytes
}

function decoded(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    return decode(bytes) as Readonly<Record<string, unknown>>
  } catch (cause) {
    throw damagedBytes(cause)
  }
}

function inflated(bytes: Uint8Array, { bytes: dictionary }: Dictionary): Uint8Array {
  try {
    return inflateRawSync(bytes, { dictionary, maxOutputLength: MOST_BYTES })
  } catch (cause) {
    throw damagedBytes(cause)
  }
}

function damagedBytes(cause: unknown): LapidaryError {
  return new LapidaryError('table_mismatch', 'its packed attributes are damaged; restore the item from a backup', {
    cause,
  })
}

function unknownForm(bytes: Uint8Array): LapidaryError {
  return new LapidaryError(
    'table_mismatch',
    `its attributes were packed in a form that this version does not know (${bytes[0] ?? 'no bytes'}); update the library`,
  )
}

function unknownDictionary(name: string, known: readonly string[]): LapidaryError {
  const declared = known.length === 0 ? 'none is declared' : `declared are ${known.join(', ')}`
  return new LapidaryError(
    'table_mismatch',
    `its attributes were deflated with dictionary ${name}, and ${declared}; add the dictionary to deflated({ dictionaries })`,
  )
}
