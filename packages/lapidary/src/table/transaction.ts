/** Why each item of a transaction was refused, in their order; empty for any other error. */
export function cancellationCodes(error: unknown): readonly (string | undefined)[] {
  if (!(error instanceof Error) || error.name !== 'TransactionCanceledException') return []
  const { CancellationReasons = [] } = error as { CancellationReasons?: readonly { Code?: string }[] }
  return CancellationReasons.map(({ Code }) => Code)
}
