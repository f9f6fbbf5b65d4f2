import { isDeepStrictEqual } from 'node:util'
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { Entry } from '../../src/model/entry.ts'

/** The expressions of a command, with what their placeholders stand for. */
export interface Expressions {
  readonly ConditionExpression?: string | undefined
  readonly UpdateExpression?: string | undefined
  readonly KeyConditionExpression?: string | undefined
  readonly ProjectionExpression?: string | undefined
  readonly ExpressionAttributeNames?: Record<string, string> | undefined
  readonly ExpressionAttributeValues?: Record<string, AttributeValue> | undefined
}

/** DynamoDB's reserved words that the library has as names of attributes. */
const RESERVED = /^(owner|ttl|count|state|name|item|values?)$/i

/** Makes DynamoDB's error for a malformed command. */
export function malformed(message: string): Error {
  return Object.assign(new Error(message), { name: 'ValidationException' })
}

/** Refuses what DynamoDB refuses of any command: placeholders that stand for nothing, or are not used, and empty names. */
export function requireWellFormed(given: Expressions): void {
  const { ExpressionAttributeNames: names, ExpressionAttributeValues: values } = given
  const { ConditionExpression, UpdateExpression, KeyConditionExpression, ProjectionExpression } = given
  const texts = [ConditionExpression, UpdateExpression, KeyConditionExpression, ProjectionExpression]
  if (texts.includes('')) throw malformed('an expression is empty')
  for (const held of [names, values]) {
    if (held !== undefined && Object.keys(held).length === 0) throw malformed('placeholders are empty')
  }
  if (Object.values(names ?? {}).includes('')) throw malformed('the name of an attribute is empty')
  if (Object.values(values ?? {}).includes(undefined as never)) throw malformed('a value is missing')
  const used = new Set(texts.flatMap((text) => text?.match(/[#:]\w+/g) ?? []))
  const given_ = new Set([...Object.keys(names ?? {}), ...Object.keys(values ?? {})])
  if (!isDeepStrictEqual(used, given_))
    throw malformed(`placeholders: ${[...used].sort()} are used, ${[...given_].sort()} given`)
}

/** Whether a condition holds of an item, or of none. */
export function holds(entry: Entry | undefined, { ConditionExpression: text, ...given }: Expressions): boolean {
  if (text === undefined) return true
  const tokens = text.match(/[#:\w]+|<=|>=|<>|[<>=()]|[^\s\w]/g) ?? []
  const take = (expected?: string): string => {
    const token = tokens.shift()
    if (token === undefined || (expected !== undefined && token !== expected)) throw malformed(`in ${text}: ${token}`)
    return token
  }
  const isNext = (word: string): boolean => tokens[0] === word && tokens.shift() !== undefined
  const either = (): boolean => {
    let is = both()
    while (isNext('OR')) is = both() || is
    return is
  }
  const both = (): boolean => {
    let is = one()
    while (isNext('AND')) is = one() && is
    return is
  }
  const one = (): boolean => {
    if (isNext('(')) {
      const is = either()
      take(')')
      return is
    }
    const word = take()
    if (word === 'attribute_exists' || word === 'attribute_not_exists') {
      take('(')
      const name = nameOf(take(), given)
      take(')')
      return (entry?.[name] !== undefined) === (word === 'attribute_exists')
    }
    const [held, operator, wanted] = [entry?.[nameOf(word, given)], take(), givenValue(take(), given)]
    if (operator === '=') return isDeepStrictEqual(held, wanted)
    if (operator === '<') return held?.N !== undefined && Number(held.N) < Number(wanted.N)
    if (operator === '<=') return held?.N !== undefined && Number(held.N) <= Number(wanted.N)
    throw malformed(`in ${text}: ${operator}`)
  }
  const is = either()
  if (tokens.length > 0) throw malformed(`in ${text}: ${tokens[0]}`)
  return is
}

/** Whether an entry is in the part of an index that a condition on its keys names. */
export function isInRange(entry: Entry, { KeyConditionExpression: text = '', ...given }: Expressions): boolean {
  const [, partition = '', sort = ''] = /^(\S+ = :\w+)(?: AND (.+))?$/.exec(text) ?? []
  if (!holds(entry, { ...given, ConditionExpression: partition })) return false
  if (sort === '') return true
  const [name = '', operator, low = '', , high = ''] = sort.split(' ')
  const held = entry[nameOf(name, given)]?.S
  const [from = '', to = ''] = [low, high].map((each) => (each === '' ? '' : givenValue(each, given).S))
  if (held === undefined) return false
  if (operator === '<') return held < from
  if (operator === '>') return held > from
  if (operator === 'BETWEEN') return held >= from && held <= to
  throw malformed(text)
}

/** An item as an update leaves it; one that was not there is made. */
export function updated(entry: Entry, { UpdateExpression: text = '', ...given }: Expressions): Entry {
  const after = { ...entry }
  const [before, ...parts] = text.split(/\b(SET|REMOVE|ADD) /)
  if (before !== '' || parts.length === 0) throw malformed(text)
  for (let i = 0; i < parts.length; i += 2) {
    for (const each of (parts[i + 1] ?? '').trim().split(/\s*,\s*(?![^(]*\))/)) {
      const [left = '', ...right] = each.split(parts[i] === 'SET' ? /\s*=\s*/ : /\s+/)
      if (right.length !== (parts[i] === 'REMOVE' ? 0 : 1)) throw malformed(text)
      if (parts[i] === 'SET') {
        setAt(after, left, assignedValue(entry, right[0] ?? '', given), given)
        continue
      }
      const name = nameOf(left, given)
      if (parts[i] === 'REMOVE') delete after[name]
      else after[name] = sumOf(after[name], givenValue(right[0] ?? '', given))
    }
  }
  return after
}

/** Sets an attribute, or what a map that is there has under a name. */
function setAt(entry: Record<string, AttributeValue>, path: string, value: AttributeValue, given: Expressions): void {
  const [name = '', within] = path.split('.').map((text) => nameOf(text, given))
  if (within === undefined) {
    entry[name] = value
    return
  }
  const map = entry[name]?.M
  if (map === undefined) throw malformed(`the document path ${path} is invalid for update`)
  entry[name] = { M: { ...map, [within]: value } }
}

/** A value, or what an attribute has that is there before it. */
function assignedValue(before: Entry, text: string, given: Expressions): AttributeValue {
  const [, name, otherwise = text] = /^if_not_exists\((\S+), (\S+)\)$/.exec(text) ?? []
  return (name === undefined ? undefined : before[nameOf(name, given)]) ?? givenValue(otherwise, given)
}

function nameOf(text: string, { ExpressionAttributeNames: names = {} }: Expressions): string {
  if (text.startsWith('#')) return names[text] ?? ''
  if (!/^[a-z]\w*$/i.test(text) || RESERVED.test(text)) throw malformed(`${text} is no name of an attribute`)
  return text
}

export function givenValue(text: string, { ExpressionAttributeValues: values = {} }: Expressions): AttributeValue {
  return (
    values[text] ??
    (() => {
      throw malformed(`${text} is no value`)
    })()
  )
}

/** Returns the result of ADD: a number is added, the members of a set are put in. */
function sumOf(before: AttributeValue | undefined, added: AttributeValue): AttributeValue {
  if (added.SS !== undefined) return { SS: [...new Set([...(before?.SS ?? []), ...added.SS])] }
  return { N: String(Number(before?.N ?? 0) + Number(added.N)) }
}
