/** Packs the attributes of an item that DynamoDB need not see into bytes; a value, given to `defineCollection`. */
export interface AttributeCodec {
  /** Attributes that stay as they are, beside those that keys, lists and filters need. */
  readonly plain: readonly string[]
  /**
   * @param values What is to be packed, by stored name.
   * @returns Undefined where it is to stay as it is.
   */
  pack(values: Readonly<Record<string, unknown>>): Uint8Array | undefined
  /** @throws {LapidaryError} `table_mismatch` for bytes of another codec, or of a dictionary that is not declared. */
  unpack(bytes: Uint8Array): Readonly<Record<string, unknown>>
  /** How bytes were packed, in words. */
  describe(bytes: Uint8Array): string
}
