import { PAYLOAD_BYTES } from './block.ts'

/** A run of blocks with records of one size; no record is in two blocks. */
export class Section {
  readonly firstBlock: number
  /** The block behind the last one. */
  readonly endBlock: number
  readonly recordBytes: number
  readonly perBlock: number

  constructor(firstBlock: number, recordBytes: number, records: number) {
    this.firstBlock = firstBlock
    this.recordBytes = recordBytes
    this.perBlock = Math.floor(PAYLOAD_BYTES / recordBytes)
    this.endBlock = firstBlock + Math.ceil(records / this.perBlock)
  }

  blockOf(index: number): number {
    return this.firstBlock + Math.floor(index / this.perBlock)
  }

  /** Returns where a record is within its block. */
  offsetOf(index: number): number {
    return (index % this.perBlock) * this.recordBytes
  }

  /** Returns how many records of a block there are from this one on. */
  runFrom(index: number): number {
    return this.perBlock - (index % this.perBlock)
  }
}
