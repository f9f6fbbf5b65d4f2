/** Tells of nodes that do not fit each other: another write came between two reads, or the tree is damaged. */
export class Torn extends Error {
  override readonly name = 'Torn'
}
