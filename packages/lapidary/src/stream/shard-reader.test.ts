import {
  GetRecordsCommand,
  GetShardIteratorCommand,
  type GetShardIteratorInput,
} from '@aws-sdk/client-dynamodb-streams'
import { expect, test } from 'vitest'
import { createShardReader, isTrimmed, readsOf, type ShardSource } from './shard-reader.ts'

interface Output {
  readonly Records?: readonly object[]
  /** The shard is closed and this is its end. */
  readonly isEnd?: boolean
}

const named = (name: string): Error => Object.assign(new Error(name), { name })
const record = (sequence: number, SizeBytes = 100) => ({
  dynamodb: {
    ...{ Keys: { PK: { S: 'X' }, SK: { S: '~' } }, NewImage: { n: { N: String(sequence) } } },
    ...{ SequenceNumber: String(sequence), SizeBytes, ApproximateCreationDateTime: new Date(0) },
  },
})
const records = (count: number, SizeBytes?: number) => Array.from({ length: count }, (_, i) => record(i, SizeBytes))

/** A shard whose answers are given one after the other, errors being thrown; notes where it is asked from. */
function shardOf(
  answers: readonly (Output | Error)[],
  { start, opening = [] }: { readonly start?: string; readonly opening?: readonly (Error | undefined)[] } = {},
) {
  const asked: (string | undefined)[][] = []
  const [left, openings] = [[...answers], [...opening]]
  const send = async (command: { readonly input: GetShardIteratorInput }): Promise<unknown> => {
    if (command instanceof GetShardIteratorCommand) {
      const { ShardIteratorType, SequenceNumber } = command.input
      asked.push(SequenceNumber === undefined ? [ShardIteratorType] : [ShardIteratorType, SequenceNumber])
      const error = openings.shift()
      if (error !== undefined) throw error
      return { ShardIterator: 'first' }
    }
    expect(command).toBeInstanceOf(GetRecordsCommand)
    const answer = left.shift() ?? {}
    if (answer instanceof Error) throw answer
    const { isEnd = false, ...output } = answer
    return { ...output, ...(isEnd ? {} : { NextShardIterator: 'next' }) }
  }
  const source = { streams: { send }, arn: 'arn', shard: { shardId: 's', start } } as unknown as ShardSource
  return { source, asked, left }
}

test('reads from after what was processed, from the beginning of the shard, or from the oldest record', async () => {
  const places: unknown[] = []
  for (const [after, start] of [
    ['7', '5'],
    [undefined, '5'],
    [undefined, undefined],
  ]) {
    const { source, asked } = shardOf([{}], start === undefined ? {} : { start })
    await createShardReader(source, after).next()
    places.push(...asked)
  }
  expect(places).toEqual([['AFTER_SEQUENCE_NUMBER', '7'], ['AT_SEQUENCE_NUMBER', '5'], ['TRIM_HORIZON']])
})

test('tells the changes, the last number also of records that change nothing, and the end', async () => {
  const { source } = shardOf([{ Records: [record(1), { dynamodb: { SequenceNumber: '2' } }] }, {}, { isEnd: true }])
  const reader = createShardReader(source, undefined)
  const first = await reader.next()
  expect(first).toMatchObject({ records: 2, last: '2', end: false, gap: false, full: false })
  expect(first.changes.map(({ sequenceNumber }) => sequenceNumber)).toEqual(['1'])
  expect(await reader.next()).toMatchObject({ records: 0, last: undefined, end: false })
  expect(await reader.next()).toMatchObject({ records: 0, end: true })
})

test('an iterator that has expired is made anew, from after the last record that was read', async () => {
  const { source, asked } = shardOf([{ Records: [record(8)] }, {}, named('ExpiredIteratorException'), {}])
  const reader = createShardReader(source, '7')
  for (let reads = 1; reads <= 3; reads++) await reader.next()
  expect(asked).toEqual([
    ['AFTER_SEQUENCE_NUMBER', '7'],
    ['AFTER_SEQUENCE_NUMBER', '8'],
  ])
})

test('an error is told, and the next read goes on from the same place', async () => {
  const { source, asked } = shardOf([{ Records: [record(8)] }, named('ThrottlingException'), { Records: [record(9)] }])
  const reader = createShardReader(source, '7')
  await reader.next()
  await expect(reader.next()).rejects.toThrow('ThrottlingException')
  expect(await reader.next()).toMatchObject({ last: '9' })
  expect(asked.at(-1)).toEqual(['AFTER_SEQUENCE_NUMBER', '8'])
  const denied = shardOf([], { opening: [named('AccessDenied')] })
  await expect(createShardReader(denied.source, '7').next()).rejects.toThrow('AccessDenied')
})

test.each<[string, readonly (Output | Error)[], readonly (Error | undefined)[]]>([
  ['when it opens the shard', [{ Records: [record(20)] }, {}], [named('TrimmedDataAccessException')]],
  ['between two reads', [named('TrimmedDataAccessException'), { Records: [record(20)] }, {}], []],
])('what is gone is told once, with what is left: found %s', async (_, answers, opening) => {
  const { source, asked } = shardOf(answers, { start: '5', opening })
  const reader = createShardReader(source, '7')
  expect(await reader.next()).toMatchObject({ last: '20', gap: true })
  expect(await reader.next()).toMatchObject({ gap: false })
  expect(asked).toEqual([['AFTER_SEQUENCE_NUMBER', '7'], ['TRIM_HORIZON']])
})

test.each<[string, readonly object[], boolean]>([
  ['a thousand records', records(1_000), true],
  ['one less', records(999), false],
  ['as many bytes as leave no room for the largest record', records(3, 80_000), true],
  ['no more bytes than leave room', records(2, 114_000), false],
])('a read of %s: more is likely to be waiting, %s', async (_, Records, full) => {
  const { source } = shardOf([{ Records }])
  expect((await createShardReader(source, undefined).next()).full).toBe(full)
})

test('a report reads on until two reads in a row are short, or the shard is at its end', async () => {
  const [full, short] = [{ Records: records(1_000) }, { Records: [record(1)] }]
  const lengths = async (answers: readonly Output[]): Promise<number[]> => {
    const read: number[] = []
    for await (const { records } of readsOf(shardOf(answers).source, undefined)) read.push(records)
    return read
  }
  expect(await lengths([full, short, full, short, {}, full])).toEqual([1_000, 1, 1_000, 1, 0])
  expect(await lengths([full, { isEnd: true }, full])).toEqual([1_000, 0])
})

test('records are trimmed where the stream says so, and another error is no answer', async () => {
  const opened = (...opening: (Error | undefined)[]) => isTrimmed(shardOf([], { opening, start: '5' }).source, '7')
  expect(await opened(named('TrimmedDataAccessException'))).toBe(true)
  expect(await opened(undefined)).toBe(false)
  await expect(opened(named('AccessDenied'))).rejects.toThrow('AccessDenied')
})
