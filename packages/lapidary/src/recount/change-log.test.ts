import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import {
  DescribeStreamCommand,
  type GetRecordsCommand,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams'
import { expect, test } from 'vitest'
import type { Projection } from '../derived/projection.ts'
import type { Entry } from '../model/entry.ts'
import { checkpointOf } from '../stream/checkpoint.ts'
import { followChanges } from './change-log.ts'
import { createProbes } from './probes.ts'
import { Tally } from './tally.ts'
import { Truth } from './truth.ts'

/** How many items have each value. */
const values: Projection = {
  name: 'values',
  collection: 'X',
  dated: false,
  isItem: ({ PK }) => PK.startsWith('X#'),
  contributions: ({ v }) => [{ target: { PK: '~values#X#~', SK: v?.S ?? '' }, amounts: { count: 1 } }],
  owns: ({ PK }) => PK.startsWith('~values#X#'),
  entryOf: (_, { count = 0 }) => (count === 0 ? undefined : { count: { N: String(count) } }),
  amountsOf: ({ count }) => ({ count: Number(count?.N ?? 0) }),
}

const key = { PK: { S: 'X#1' }, SK: { S: '~' } }
const image = (v: string): Entry => ({ ...key, v: { S: v } })
const record = (at: number, OldImage: Entry | undefined, NewImage: Entry, Keys: Entry = key) => ({
  dynamodb: { Keys, SequenceNumber: String(at), OldImage, NewImage, ApproximateCreationDateTime: new Date() },
})

type Stored = Record<string, Record<string, AttributeValue>>

/**
 * A closed shard in which an item was made, and its child, in which it was changed.
 *
 * @param onRead What happens once the first checkpoint was read.
 */
function setting(checkpoints: Stored, onRead: (checkpoints: Stored) => void) {
  const shards: Record<string, ReturnType<typeof record>[]> = {
    P: [record(107, undefined, image('v1'))],
    C: [record(202, image('v1'), image('v2'))],
  }
  let reads = 0
  const table = {
    tableName: 't',
    random: () => 0,
    sleep: async () => {},
    async send(command: unknown) {
      if (command instanceof GetItemCommand) {
        const Item = checkpoints[command.input.Key?.PK?.S ?? '']
        if (++reads === 1) onRead(checkpoints)
        return { Item }
      }
      if (command instanceof PutItemCommand) {
        const Item = command.input.Item as Entry
        shards.C?.push(record(300 + (shards.C.length ?? 0), undefined, Item, Item))
      }
      return {}
    },
  }
  const streams = {
    async send(command: unknown) {
      if (command instanceof DescribeStreamCommand) {
        return { StreamDescription: { Shards: [{ ShardId: 'P' }, { ShardId: 'C', ParentShardId: 'P' }] } }
      }
      if (command instanceof GetShardIteratorCommand) {
        return { ShardIterator: `${command.input.ShardId}:${command.input.SequenceNumber ?? 0}` }
      }
      const [id = '', at] = ((command as GetRecordsCommand).input.ShardIterator ?? '').split(':')
      const Records = (shards[id] ?? []).filter(({ dynamodb }) => Number(dynamodb.SequenceNumber) > Number(at))
      const last = Records.at(-1)?.dynamodb.SequenceNumber ?? at
      return { Records, ...(id === 'P' ? {} : { NextShardIterator: `${id}:${last}` }) }
    },
  }
  return { table, streams }
}

test.each<[string, Stored, (checkpoints: Stored) => void]>([
  [
    'the runner goes on to a child while checkpoints are read',
    { '~STREAM#P': { sequenceNumber: { S: '101' } } },
    (checkpoints) => {
      checkpoints['~STREAM#P'] = { sequenceNumber: { S: '107' }, finished: { BOOL: true } }
      checkpoints['~STREAM#C'] = { sequenceNumber: { S: '202' } }
    },
  ],
  [
    "a child's backlog was skipped and not its parent's",
    { '~STREAM#C': { sequenceNumber: { S: '202' }, gap: { BOOL: true }, gaps: { N: '1' } } },
    () => {},
  ],
])('the truth is exact where %s', async (_, checkpoints, onRead) => {
  const { table, streams } = setting(checkpoints, onRead)
  const truth = new Truth(new Tally([values]))
  const probes = createProbes(table as never, Date.now)
  const options = { table, streams, arn: 'a', truth, probes, idleMs: 1, clock: Date.now }
  await using log = await followChanges(options as never)
  truth.scanned({ PK: 'X#1', SK: '~' }, image('v2'))
  await log.readAll()
  const counted = new Map([
    ['P', checkpointOf({ sequenceNumber: { S: '107' }, finished: { BOOL: true } })],
    ['C', checkpointOf({ sequenceNumber: { S: '202' } })],
  ])
  for (let taken = false; !taken; ) taken = await log.takeTo(counted)
  const held = truth.tally.targets.map((target) => [target.key.SK, truth.tally.amountsOf(target)])
  expect(Object.fromEntries(held)).toEqual({ v1: {}, v2: { count: 1 } })
})
