import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { Entry } from '../model/entry.ts'
import { ownValue } from '../model/own-value.ts'
import type { WriteCondition } from './item-writes.ts'

/** Makes the condition that attributes of an entry are still as they were read; an attribute that was absent must still be absent. */
export function stillAsRead(found: Entry, names: Iterable<string>): WriteCondition {
  const ExpressionAttributeNames: Record<string, string> = {}
  const ExpressionAttributeValues: Record<string, AttributeValue> = {}
  const parts = [...new Set(names)].map((name, i) => {
    ExpressionAttributeNames[`#c${i}`] = name
    const value = ownValue(found, name)
    if (value === undefined) return `attribute_not_exists(#c${i})`
    ExpressionAttributeValues[`:c${i}`] = value
    return `#c${i} = :c${i}`
  })
  return {
    ConditionExpression: ['attribute_exists(PK)', ...parts].join(' AND '),
    ExpressionAttributeNames,
    ...(Object.keys(ExpressionAttributeValues).length === 0 ? {} : { ExpressionAttributeValues }),
  }
}
