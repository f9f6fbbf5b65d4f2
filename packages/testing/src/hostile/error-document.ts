import { Refusal } from './target.ts'

/** An answer of HTTP. */
export interface HttpAnswer {
  readonly status: number
  readonly body: string
}

/** Errors whose answers have another status than 400. */
const STATUSES: Readonly<Record<string, number>> = { InternalServerError: 500, ServiceUnavailable: 503 }
/** Errors that a program makes itself, when it has no answer or nothing to ask with. */
const OF_THE_PROGRAM: Readonly<Record<string, string>> = { CredentialsProviderError: 'UnrecognizedClientException' }

/** Writes an error as DynamoDB answers it; undefined for a broken connection, which has no answer. */
export function errorDocument(error: unknown): HttpAnswer | undefined {
  if (error instanceof Refusal) return error
  const { name, message, CancellationReasons } = error as Error & { readonly CancellationReasons?: unknown }
  if (name === 'Error' || name === 'TimeoutError') return undefined
  const told = OF_THE_PROGRAM[name] ?? name
  const __type = `com.amazonaws.dynamodb.v20120810#${told}`
  return { status: STATUSES[told] ?? 400, body: JSON.stringify({ __type, message, CancellationReasons }) }
}
