/** Packs the attributes of an item that DynamoDB need not see into bytes; a value, given to `defineCollection`. */
export interface AttributeCodec {
  /** Attributes that stay unpacked, beside those that keys, lists and filters need. */
  readonly plain: readonly string[]
  /**
   * @param values The attributes to pack, by stored name.
   * @returns Undefined where they stay as they are.
   */
  pack(values: Readonly<Record<string, unknown>>): Uint8Array | undefined
  /** @throws {LapidaryError} `table_mismatch` for bytes of another codec, or of a dictionary that is not declared. */
  unpack(bytes: Uint8Array): Readonly<Record<string, unknown>>
  /** Describes in words how bytes were packed. */
  describe(bytes: Uint8Array): string
}
