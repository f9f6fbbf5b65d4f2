/** Where a command is sent, beyond what the environment of the AWS CLI says. */
export interface AwsCommandOptions {
  /** The address of a DynamoDB that is not AWS's own. */
  readonly endpoint?: string | undefined
}

/**
 * Returns the command of the AWS CLI that sends a request of DynamoDB again, for a shell of Unix, a line for each option. `--no-paginate` makes
 * it one request, as it was: else the CLI goes on to the end of the list.
 *
 * @param name The name of the request, `Query`.
 * @param input The request as the SDK's low-level client takes it.
 */
export function awsCommand(name: string, input: object, { endpoint }: AwsCommandOptions = {}): string {
  const options = Object.entries(input)
    .filter(([, value]) => value !== undefined)
    .toSorted(([a], [b]) => placeOf(a) - placeOf(b))
    .map(([field, value]) => optionOf(field, value))
  const lines = [
    `aws dynamodb ${kebab(name)}`,
    ...options,
    '--no-paginate',
    ...(endpoint === undefined ? [] : [`--endpoint-url ${quoted(endpoint)}`]),
  ]
  return lines.join(' \\\n  ')
}

/** What people look for comes first: where it reads, and what. */
const FIRST = ['TableName', 'IndexName', 'KeyConditionExpression', 'Key', 'RequestItems']
const LAST = 'ReturnConsumedCapacity'

function placeOf(field: string): number {
  if (field === LAST) return FIRST.length + 1
  const place = FIRST.indexOf(field)
  return place < 0 ? FIRST.length : place
}

function optionOf(field: string, value: unknown): string {
  const option = kebab(field)
  if (typeof value === 'boolean') return value ? `--${option}` : `--no-${option}`
  const text = typeof value === 'object' ? JSON.stringify(value, inBase64) : String(value)
  // The CLI takes a text that begins so for an option of its own.
  return `--${option}${text.startsWith('-') ? '=' : ' '}${quoted(text)}`
}

/** `KeyConditionExpression` is `key-condition-expression`. */
function kebab(name: string): string {
  return name.replace(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`).toLowerCase()
}

const PLAIN = /^[\w@%+=:,./-]+$/

/** Writes a word so that a shell takes it as it is. */
function quoted(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

/** The CLI takes bytes in JSON as base64. */
function inBase64(_: string, value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value
}
