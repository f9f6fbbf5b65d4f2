import { shown } from './errors.ts'
import { invalidDeclaration } from './invalid-declaration.ts'
import { knownOptions, type OptionNames } from './known-options.ts'

/** The type of the order attribute, which decides how it becomes a sortable text. */
export type OrderType = 'time' | 'number' | 'decimal' | 'string'

/** The order of ids: as keys hold them, escaped and cut, or as they are. */
export type IdOrder = 'escaped' | 'raw'

/**
 * The attribute by which lists are ordered. `time`: ISO 8601 in UTC with milliseconds, years 0000 to 9999. `decimal`: numbers of up to 38
 * digits, for an attribute whose `numbers` are bigints or decimals.
 */
export interface Order {
  readonly attribute: string
  readonly type: OrderType
  /** Whether items may lack the attribute. Such items are in no list of this order. */
  readonly optional?: boolean
}

/** Orders by name. */
export type Orders = Readonly<Record<string, Order>>

/** An order as it is declared; a bare name means a time. */
export type OrderDeclaration = string | Order

/** The default order, and all orders by name, the default one first, under the name of its attribute where it has no other. */
export interface DeclaredOrders {
  readonly order: Order
  readonly orders: Orders
}

type NamedOrder = readonly [name: string, order: Order]

const ORDER_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/
const TYPES: readonly unknown[] = ['time', 'number', 'decimal', 'string'] satisfies OrderType[]

/** @throws {LapidaryError} `declaration_invalid` for orders without a default one, or two orders by one attribute. */
export function declaredOrders(
  order: OrderDeclaration | undefined,
  given?: Readonly<Record<string, OrderDeclaration>>,
): DeclaredOrders {
  const named = given === undefined ? [] : namedOrders(given)
  const [name, first] = defaultOrder(order, named)
  if (first.optional)
    invalidDeclaration(`the order ${name} is the default one, which every item is in; it can't be optional`)
  return { order: first, orders: Object.freeze({ [name]: first, ...Object.fromEntries(named) }) }
}

function namedOrders(given: Readonly<Record<string, OrderDeclaration>>): readonly NamedOrder[] {
  const named = Object.entries(given).map(([name, each]) => [name, checkedOrder(each)] as const)
  for (const [i, [name, { attribute }]] of named.entries()) {
    if (!ORDER_NAME.test(name))
      invalidDeclaration(`${shown(name)} can't name an order: a letter, then letters, digits, _ and -`)
    const twin = named.slice(0, i).find(([, other]) => other.attribute === attribute)
    if (twin !== undefined)
      invalidDeclaration(`the orders ${twin[0]} and ${name} are both by ${attribute}; leave out one of them`)
  }
  return named
}

function defaultOrder(order: OrderDeclaration | undefined, named: readonly NamedOrder[]): NamedOrder {
  const [first] = named
  if (order === undefined)
    return (
      first ??
      invalidDeclaration(
        'no order is declared; say order: with the attribute that lists go by, or orders: with several',
      )
    )
  const checked = checkedOrder(order)
  const own = named.find(([, { attribute }]) => attribute === checked.attribute)
  if (own !== undefined)
    return own[1].type === checked.type
      ? own
      : invalidDeclaration(
          `the order by ${checked.attribute} is a ${checked.type} and as ${own[0]} a ${own[1].type}; say one of them`,
        )
  if (named.some(([name]) => name === checked.attribute))
    invalidDeclaration(
      `${checked.attribute} is the attribute of the default order, so no other order can have that name`,
    )
  return [checked.attribute, checked]
}

const ORDER_NAMES: OptionNames<Order> = { attribute: true, type: true, optional: true }

function checkedOrder(order: OrderDeclaration): Order {
  if (typeof order !== 'string')
    knownOptions(`the order by ${shown(order.attribute)}`, order, ORDER_NAMES, 'declaration_invalid')
  const { attribute, type, optional }: Order = typeof order === 'string' ? { attribute: order, type: 'time' } : order
  if (!TYPES.includes(type))
    invalidDeclaration(`the order by ${shown(attribute)} is ${shown(type)}; it is one of ${TYPES.join(', ')}`)
  return Object.freeze({ attribute, type, ...(optional === true ? { optional } : {}) })
}

/** Returns the order that a query names; the default one where it names none. */
export function orderNamed({ order, orders }: DeclaredOrders, name: string | undefined): Order {
  return name === undefined ? order : (orders[name] as Order)
}

/** Returns the orders beside the default one. */
export function furtherOrders({ order, orders }: DeclaredOrders): readonly NamedOrder[] {
  return Object.entries(orders).filter(([, each]) => each !== order)
}

/** Returns the attributes by which lists are ordered, that of the default order first. */
export function orderAttributes({ orders }: Pick<DeclaredOrders, 'orders'>): readonly string[] {
  return Object.values(orders).map(({ attribute }) => attribute)
}

/** Tells whether lists are ordered by an attribute that no item may lack. */
export function isAlwaysInOrder({ orders }: Pick<DeclaredOrders, 'orders'>, attribute: string): boolean {
  return Object.values(orders).some((order) => order.attribute === attribute && order.optional !== true)
}
