/** Why each item of a transaction was refused, in their order; empty for any other error. */
export function cancellationCodes(error: unknown): readonly (string | undefined)[] {
  if (!(error instanceof Error) || error.name !== 'TransactionCanceledException') return []
  const { CancellationReasons = [] } = error as { CancellationReasons?: readonly { Code?: string }[] }
  return CancellationReasons.map(({ Code }) => Code)
}

/** What DynamoDB says against a request that it will never take; of a transaction, against the first part that it refused. */
export function validationMessage(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if (error.name === 'ValidationException') return error.message
  const { CancellationReasons = [] } = error as { CancellationReasons?: readonly { Code?: string; Message?: string }[] }
  return CancellationReasons.find(({ Code }) => Code === 'ValidationError')?.Message
}
