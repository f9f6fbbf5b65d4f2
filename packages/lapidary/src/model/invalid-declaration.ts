import { LapidaryError } from './errors.ts'

/** @throws {LapidaryError} `declaration_invalid`. */
export function invalidDeclaration(message: string): never {
  throw new LapidaryError('declaration_invalid', message)
}
