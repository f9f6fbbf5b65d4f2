import type { Answer } from './answer.ts'
import { TABLE_FORMATS } from './question.ts'

type Check = (value: unknown) => boolean

/** Far more of anything than an answer has. */
const MOST = 2_000

const isText: Check = (value) => typeof value === 'string'
/** JSON writes null for what is no number. */
const isNumber: Check = (value) => typeof value === 'number' || value === null
const isFlag: Check = (value) => typeof value === 'boolean'
const listOf =
  (is: Check): Check =>
  (value) =>
    Array.isArray(value) && value.length <= MOST && value.every(is)
const recordOf =
  (is: Check): Check =>
  (value) =>
    isObject(value) && Object.values(value).every(is)
const shape =
  (parts: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isObject(value) && Object.entries(parts).every(([name, is]) => is(value[name]))
const maybe =
  (is: Check): Check =>
  (value) =>
    value === undefined || is(value)

const isDollars = shape({ onDemand: isNumber, provisioned: isNumber })
const isEstimate = shape({ rcu: isNumber, rounds: isNumber })
const isNode: Check = shape({
  text: isText,
  estimated: shape({ rcu: isNumber }),
  inputs: (value) => listOf(isNode)(value),
})
const isKey = shape({ name: isText, value: isText, role: isText })
const isAnswer = shape({
  problem: maybe(shape({ in: isText, message: isText, line: maybe(isNumber) })),
  plan: maybe(
    shape({
      explained: shape({
        ...{ text: isText, tree: isNode, estimated: isEstimate, limits: listOf(isText), basis: isText },
        rejected: listOf(shape({ text: isText, rcu: isNumber, reason: isText })),
      }),
      dollars: isDollars,
      rejectedDollars: listOf((value) => value === null || isDollars(value)),
    }),
  ),
  declared: maybe(
    shape({
      warnings: listOf(isText),
      data: shape({
        ...{ items: isNumber, itemBytes: isNumber, counts: isFlag, columns: isFlag },
        facets: listOf(
          shape({
            ...{ name: isText, kind: isText, counted: isFlag },
            values: listOf(shape({ text: isText, share: isNumber })),
          }),
        ),
      }),
      keys: shape({
        ...{ item: isObject, count: isNumber },
        entries: listOf(
          shape({ pk: isText, sk: isText, lists: listOf(shape({ index: isText, keys: listOf(isKey) })) }),
        ),
      }),
      writes: listOf(shape({ what: isText, units: isNumber, byIndex: recordOf(isNumber), dollars: isDollars })),
      table: shape(Object.fromEntries(TABLE_FORMATS.map((format) => [format, isText]))),
    }),
  ),
})

/** Reads an answer that came out of the sandbox, where a text may have made up anything; undefined for what the page could not show. */
export function checkedAnswer(text: string): Answer | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isAnswer(value) ? (value as Answer) : undefined
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
