/**
 * The attributes of items that the library keeps for itself in the table (counts, checkpoints, leases, dead letters, registers), with DynamoDB's
 * types. Names with a mark are left out: an attribute of an item that can be a key has no mark in its name.
 */
const OWN_ATTRIBUTES: Readonly<Record<string, string>> = {
  ...{ asOf: 'S', count: 'N', rev: 'S', arn: 'S', earlier: 'SS' },
  ...{
    sequenceNumber: 'S',
    lambda: 'S',
    turn: 'S',
    owner: 'S',
    register: 'N',
    leasedUntil: 'N',
    leaseMs: 'N',
    finished: 'BOOL',
    gap: 'BOOL',
    gaps: 'N',
  },
  ...{ item: 'M', reason: 'S', refusedBy: 'L', look: 'N', place: 'S', digest: 'S', first: 'M' },
  ...{
    state: 'S',
    generation: 'N',
    revision: 'N',
    indexes: 'M',
    fills: 'M',
    cells: 'L',
    namespaces: 'SS',
    caughtUpAt: 'N',
  },
}

/** Attributes with a counter for each value. */
const COUNTER = /^(count|bytes|sized|upto\d+k)_/

/** Returns the type that an attribute has in the library's own items; undefined where none has it. */
export function ownAttributeType(name: string): string | undefined {
  if (COUNTER.test(name)) return 'N'
  return Object.hasOwn(OWN_ATTRIBUTES, name) ? OWN_ATTRIBUTES[name] : undefined
}
