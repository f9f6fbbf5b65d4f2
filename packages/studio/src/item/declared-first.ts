import type { AnyCollection, Item } from 'lapidary'

/** Returns an item with its attributes in the order in which people look for them. DynamoDB gives them in any. */
export function declaredFirst(collection: AnyCollection, item: Item): Item {
  const { id, scope, orders, facets, attributes, version, updatedAt } = collection
  const kept = [updatedAt, version].filter((name) => name !== undefined)
  const declared = [
    ...[id, scope.attribute, ...Object.values(orders).map(({ attribute }) => attribute)],
    ...[...Object.keys(facets), ...Object.keys(attributes ?? {})],
  ].filter((name) => !kept.includes(name))
  const others = Object.keys(item)
    .filter((name) => !kept.includes(name))
    .sort()
  const names = [...new Set([...declared, ...others, ...kept])].filter((name) => Object.hasOwn(item, name))
  return Object.fromEntries(names.map((name) => [name, item[name]]))
}
