import { isDeepStrictEqual } from 'node:util'
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { Entry } from '../model/entry.ts'

/** One change of one item, as the change stream tells it. */
export interface Change {
  readonly key: { readonly PK: string; readonly SK: string }
  /** Grows within a shard. */
  readonly sequenceNumber: string
  /** When it was made, in milliseconds since 1970; the stream knows it to the second. */
  readonly at: number
  readonly before: Entry | undefined
  readonly after: Entry | undefined
}

/** A stream record as GetRecords and Lambda both give it. */
export interface StreamRecord {
  readonly dynamodb?:
    | {
        readonly Keys?: Entry | undefined
        readonly OldImage?: Entry | undefined
        readonly NewImage?: Entry | undefined
        readonly SequenceNumber?: string | undefined
        /** GetRecords gives a date, Lambda seconds since 1970. */
        readonly ApproximateCreationDateTime?: Date | number | undefined
      }
    | undefined
}

/**
 * The change that a record tells. A TTL removal is a removal like any other.
 *
 * @returns undefined for a record that changes nothing; some engines send MODIFY for a write of equal images.
 */
export function changeOf(record: StreamRecord): Change | undefined {
  const { Keys, OldImage, NewImage, SequenceNumber, ApproximateCreationDateTime } = record.dynamodb ?? {}
  if (Keys?.PK?.S === undefined || Keys.SK?.S === undefined || SequenceNumber === undefined) return undefined
  if (isDeepStrictEqual(OldImage, NewImage)) return undefined
  return {
    key: { PK: Keys.PK.S, SK: Keys.SK.S },
    sequenceNumber: SequenceNumber,
    at: milliseconds(ApproximateCreationDateTime),
    before: OldImage && withBytes(OldImage),
    after: NewImage && withBytes(NewImage),
  }
}

/** GetRecords gives bytes, Lambda base64, in a text that says nothing else. */
function withBytes(image: Entry): Entry {
  return Object.fromEntries(Object.entries(image).map(([name, value]) => [name, valueWithBytes(value)]))
}

function valueWithBytes(value: AttributeValue): AttributeValue {
  if (value.B !== undefined) return { B: bytesOf(value.B) }
  if (value.BS !== undefined) return { BS: value.BS.map(bytesOf) }
  if (value.L !== undefined) return { L: value.L.map(valueWithBytes) }
  return value.M === undefined ? value : { M: withBytes(value.M) }
}

function bytesOf(given: Uint8Array | string): Uint8Array {
  return typeof given === 'string' ? new Uint8Array(Buffer.from(given, 'base64')) : given
}

/** Sequence numbers are decimal numbers of up to 40 digits: the longer is the greater. */
export function compareSequenceNumbers(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)
}

/** Whether a record comes after a place in its shard; undefined is the place before the first. */
export function isBeyond(sequenceNumber: string, place: string | undefined): boolean {
  return place === undefined || compareSequenceNumbers(sequenceNumber, place) > 0
}

/** Returns a record's time in milliseconds since 1970; 0 where it has none. */
export function milliseconds(time: Date | number | undefined): number {
  if (time === undefined) return 0
  return typeof time === 'number' ? time * 1000 : time.getTime()
}
