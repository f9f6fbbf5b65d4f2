/** An `Allow` of a role, with its resources as texts: `table`, `table/index/all`, `table/stream`. */
export interface Statement {
  readonly actions: readonly string[]
  readonly resources: readonly string[]
  readonly conditions: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>
}

/** One action on DynamoDB, as IAM sees it. A transaction is several. */
export interface Asked {
  readonly action: string
  readonly resource: string
  /** The partition keys of the items. */
  readonly leadingKeys: readonly string[]
  /** The attributes that are named. */
  readonly attributes: readonly string[]
}

interface Document {
  readonly Statement: readonly {
    readonly Effect: string
    readonly Action: string | readonly string[]
    readonly Resource: unknown
    readonly Condition?: Statement['conditions']
  }[]
}

/** Reads a policy of a template. */
export function rightsOf({ Statement }: Document): readonly Statement[] {
  return Statement.map(({ Effect, Action, Resource, Condition = {} }) => {
    if (Effect !== 'Allow') throw new Error(`a statement has the effect ${Effect}`)
    return {
      actions: [Action].flat(),
      resources: (Array.isArray(Resource) ? Resource : [Resource]).map(resourceName),
      conditions: Condition,
    }
  })
}

/** A resource of a template as a text; the stack has one table, so its name is of no matter. */
function resourceName(resource: unknown): string {
  if (typeof resource === 'string') return resource.replace(/^arn:[^/]*:table\/[^/]+/, 'table')
  const text = JSON.stringify(resource)
  if (/GlobalTable|Table/.test(text) === false) return text
  if (text.includes('"StreamArn"')) return 'table/stream'
  return `table${/"(\/index\/[^"]+)"/.exec(text)?.[1] ?? ''}`
}

/** Tells whether statements allow an action: what IAM makes of `Action`, `Resource` and the conditions that the rights use. */
export function allows(rights: readonly Statement[], asked: Asked): boolean {
  return rights.some(
    ({ actions, resources, conditions }) =>
      actions.some((action) => like(action, `dynamodb:${asked.action}`)) &&
      resources.some((resource) => like(resource, asked.resource)) &&
      Object.entries(conditions).every(([operator, keys]) =>
        Object.entries(keys).every(([key, given]) => holds(operator, key, [given].flat(), asked)),
      ),
  )
}

function holds(operator: string, key: string, given: readonly string[], asked: Asked): boolean {
  const values = { 'dynamodb:LeadingKeys': asked.leadingKeys, 'dynamodb:Attributes': asked.attributes }[key]
  if (values === undefined) throw new Error(`the checker knows no ${key}`)
  if (operator === 'Null') return given[0] === String(values.length === 0)
  if (operator === 'ForAllValues:StringLike')
    return values.every((value) => given.some((pattern) => like(pattern, value)))
  if (operator === 'ForAllValues:StringNotEquals') return values.every((value) => !given.includes(value))
  throw new Error(`the checker knows no ${operator}`)
}

function like(pattern: string, value: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.+^${}()|[\]\\?]/g, '\\$&'))
  return new RegExp(`^${parts.join('[^]*')}$`).test(value)
}

// biome-ignore lint/suspicious/noExplicitAny: inputs are whatever DynamoDB takes.
type Input = any

/** Returns the actions of a request, as IAM asks for them. */
export function askedBy(operation: string, input: Input): readonly Asked[] {
  if (operation === 'TransactWriteItems') {
    return input.TransactItems.flatMap((item: Input) =>
      Object.entries(item).map(([kind, part]) =>
        onItem(kind === 'ConditionCheck' ? 'ConditionCheckItem' : `${kind}Item`, part),
      ),
    )
  }
  if (operation === 'TransactGetItems') return input.TransactItems.map(({ Get }: Input) => onItem('GetItem', Get))
  if (operation === 'BatchGetItem' || operation === 'BatchWriteItem') {
    const keys = Object.values(input.RequestItems).flatMap((batch: Input) =>
      (batch.Keys ?? batch).map((each: Input) => keyOf(each.PutRequest?.Item ?? each.DeleteRequest?.Key ?? each)),
    )
    return [{ action: operation, resource: 'table', leadingKeys: keys, attributes: [] }]
  }
  if (/^(GetRecords|GetShardIterator|DescribeStream)$/.test(operation))
    return [{ action: operation, resource: 'table/stream', leadingKeys: [], attributes: [] }]
  if (/^(Put|Get|Update|Delete)Item$/.test(operation)) return [onItem(operation, input)]
  const index = input.IndexName === undefined ? '' : `/index/${input.IndexName}`
  return [{ action: operation, resource: `table${index}`, leadingKeys: [], attributes: [] }]
}

function onItem(action: string, input: Input): Asked {
  return { action, resource: 'table', leadingKeys: [keyOf(input.Item ?? input.Key)], attributes: namesIn(input) }
}

function keyOf({ PK }: Input): string {
  return PK.S
}

const WORDS =
  /^(SET|REMOVE|ADD|DELETE|AND|OR|NOT|IN|BETWEEN|if_not_exists|list_append|attribute_\w+|begins_with|size|contains)$/

/** Returns the attributes that an item or its expressions name, and its keys. */
function namesIn({
  Item,
  Key,
  ExpressionAttributeNames = {},
  UpdateExpression = '',
  ConditionExpression = '',
}: Input): readonly string[] {
  const words: string[] = `${UpdateExpression} ${ConditionExpression}`.match(/(?<![#:\w])[A-Za-z_]\w*/g) ?? []
  const plain = words.filter((word) => !WORDS.test(word))
  return [...Object.keys(Item ?? Key ?? {}), ...plain, ...(Object.values(ExpressionAttributeNames) as string[])]
}
