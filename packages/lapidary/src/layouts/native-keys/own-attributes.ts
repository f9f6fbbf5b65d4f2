/**
 * What the library keeps in items of its own in the table (counts, checkpoints, leases, dead letters, registers), by attribute, as DynamoDB
 * names types. Names with a mark are left out: no attribute of an item that can be a key is called so.
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

/** One for each value, which a name can't be told from by itself. */
const COUNTER = /^(count|bytes|sized|upto\d+k)_/

/** The type that an attribute has in items of the library's own; undefined where none has it. */
export function ownAttributeType(name: string): string | undefined {
  if (COUNTER.test(name)) return 'N'
  return Object.hasOwn(OWN_ATTRIBUTES, name) ? OWN_ATTRIBUTES[name] : undefined
}
