import assert from 'node:assert/strict'
import type { QueryCommandInput } from '@aws-sdk/client-dynamodb'
import type { Entry } from '../src/model/entry.ts'
import { compareBytes } from '../src/model/key-text.ts'
import { ownValue } from '../src/model/own-value.ts'

const TOKENS = /\(|\)|,|\.|>=|<|=|[#:]?\w+/g

/** Tells whether an entry passes a filter expression, by DynamoDB's grammar: `NOT` before `AND` before `OR`. */
export function passesFilter(entry: Entry, input: QueryCommandInput): boolean {
  const tokens = input.FilterExpression?.match(TOKENS) ?? []
  const { ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} } = input
  let at = 0
  const next = (): string => tokens[at++] ?? assert.fail(`${input.FilterExpression} ends early`)
  const take = (token: string): void => assert.equal(next(), token, input.FilterExpression)
  const isNext = (token: string): boolean => {
    if (tokens[at] !== token) return false
    at += 1
    return true
  }
  const attribute = (): Entry[string] | undefined => {
    let held = ownValue(entry, names[next()] ?? assert.fail('no such name'))
    while (isNext('.')) {
      const inner = names[next()] ?? assert.fail('no such name')
      held = held?.M === undefined ? undefined : ownValue(held.M, inner)
    }
    return held
  }
  const value = (): Entry[string] => values[next()] ?? assert.fail('no such value')

  // Each side is read, whatever the first gives.
  const either = (): boolean => {
    let found = both()
    while (isNext('OR')) found = both() || found
    return found
  }
  const both = (): boolean => {
    let found = one()
    while (isNext('AND')) found = one() && found
    return found
  }
  const one = (): boolean => {
    if (isNext('NOT')) return !one()
    if (isNext('(')) {
      const found = either()
      take(')')
      return found
    }
    return tokens[at]?.startsWith('#') ? comparison() : called()
  }
  const called = (): boolean => {
    const name = next()
    take('(')
    const held = attribute()
    const given = isNext(',') ? value() : undefined
    take(')')
    if (name === 'attribute_not_exists') return held === undefined
    if (name === 'begins_with') return held?.S?.startsWith(given?.S ?? assert.fail('no text')) ?? false
    assert.equal(name, 'contains')
    return held?.L?.some((each) => isSame(each, given)) ?? false
  }
  const comparison = (): boolean => {
    const held = attribute()
    const operator = next()
    if (operator !== 'IN') return compares(held, operator, value())
    take('(')
    const given = [value()]
    while (isNext(',')) given.push(value())
    take(')')
    assert.ok(given.length <= 100, 'DynamoDB takes 100 operands')
    return given.some((each) => isSame(held, each))
  }

  if (tokens.length === 0) return true
  const passed = either()
  assert.equal(at, tokens.length, input.FilterExpression)
  return passed
}

function compares(held: Entry[string] | undefined, operator: string, given: Entry[string]): boolean {
  if (operator === '=') return isSame(held, given)
  const isNumber = held?.N !== undefined && given.N !== undefined
  if (!isNumber && (held?.S === undefined || given.S === undefined)) return false
  const difference = isNumber ? Number(held?.N) - Number(given.N) : compareBytes(held?.S ?? '', given.S ?? '')
  return operator === '>=' ? difference >= 0 : difference < 0
}

function isSame(a: Entry[string] | undefined, b: Entry[string] | undefined): boolean {
  if (a?.N !== undefined && b?.N !== undefined) return Number(a.N) === Number(b.N)
  return a !== undefined && JSON.stringify(a) === JSON.stringify(b)
}
