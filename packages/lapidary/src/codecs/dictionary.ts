import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { shown } from '../model/errors.ts'
import { invalidDeclaration } from '../model/invalid-declaration.ts'

/** A dictionary with the name that packed bytes carry. */
export interface Dictionary {
  readonly bytes: Uint8Array
  /** The first four bytes of the dictionary's SHA-256. */
  readonly id: Uint8Array
  readonly name: string
}

export const ID_BYTES = 4
/** Deflate looks back no further. */
export const LONGEST_DICTIONARY = 32_768

/**
 * @param given Its bytes, or the file that has them.
 * @throws {LapidaryError} `declaration_invalid` where it has none.
 */
export function openDictionary(given: Uint8Array | string | URL): Dictionary {
  if (!(given instanceof Uint8Array || given instanceof URL || typeof given === 'string'))
    invalidDeclaration(
      `a dictionary is ${shown(given)}; give its bytes, or its file (lapidary train-dictionary FILE makes one)`,
    )
  const bytes = given instanceof Uint8Array ? given : readDictionary(given)
  if (bytes.byteLength === 0 || bytes.byteLength > LONGEST_DICTIONARY) {
    invalidDeclaration(
      `a dictionary has ${bytes.byteLength} bytes; it has 1 to ${LONGEST_DICTIONARY}, as train-dictionary makes it`,
    )
  }
  const id = createHash('sha256').update(bytes).digest().subarray(0, ID_BYTES)
  return { bytes, id, name: dictionaryName(id) }
}

export function dictionaryName(id: Uint8Array): string {
  return Buffer.from(id).toString('hex')
}

function readDictionary(file: string | URL): Uint8Array {
  try {
    return readFileSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return invalidDeclaration(
      `there is no dictionary ${shown(String(file))}; train one on the table's items (lapidary train-dictionary FILE), or copy the one that items were written with`,
    )
  }
}
