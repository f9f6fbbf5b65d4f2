import type { InputIssue } from 'lapidary'
import { badRequest } from '../problem.ts'
import { splitValues } from './values-text.ts'

/** Reads parameters one by one, and gathers what is wrong with them. One without a value counts as absent, as an HTML form sends it. */
export interface ParameterReader {
  refuse(path: string, message: string): undefined
  /** Returns all values that a parameter has. */
  all(name: string): readonly string[]
  /** Returns the value of a parameter that may be given once. */
  one(name: string): string | undefined
  /** Returns the values of a parameter that repeats, or has commas, each once. */
  list(name: string): readonly string[]
  whole(name: string, most: number): number | undefined
  choice<T extends string>(name: string, choices: readonly T[]): T | undefined
  /** @throws {HttpProblem} `bad_request` where something is wrong. */
  finish(): void
}

export function parameterReader(search: URLSearchParams): ParameterReader {
  const errors: InputIssue[] = []
  const refuse = (path: string, message: string): undefined => {
    errors.push({ path, message })
    return undefined
  }
  const all = (name: string): readonly string[] => search.getAll(name).filter((value) => value !== '')
  const one = (name: string): string | undefined => {
    const values = all(name)
    return values.length > 1 ? refuse(name, 'must be given once') : values[0]
  }
  return {
    ...{ refuse, all, one },
    list: (name) => [...new Set(all(name).flatMap(splitValues))],
    whole(name, most) {
      const value = one(name)
      if (value === undefined) return undefined
      const number = /^\d{1,15}$/.test(value) ? Number(value) : 0
      return number >= 1 && number <= most ? number : refuse(name, `must be a whole number from 1 to ${most}`)
    },
    choice(name, choices) {
      const value = one(name)
      if (value === undefined || choices.includes(value as never)) return value as never
      return refuse(name, `must be ${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`)
    },
    finish() {
      if (errors.length > 0) throw badRequest('the query was refused', errors)
    },
  }
}
