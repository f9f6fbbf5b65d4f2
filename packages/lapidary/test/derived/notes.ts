import type { StandardSchemaV1 } from '@standard-schema/spec'
import { anyOf, defineCollection, oneOf } from 'lapidary'

export interface Note {
  readonly id: string
  readonly box: string
  readonly kind: string
  readonly colour: string
  /** 0 to 99: what the notes of a box are ordered by. */
  readonly place: number
  readonly text: string
}

export const COLOURS = ['red', 'green', 'blue'] as const
export const BOXES = ['a', 'b#/~', 'c'] as const
export const KINDS = ['to do', 'done', '~'] as const

const schema: StandardSchemaV1<unknown, Note> = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: value as Note }) },
}

/** Notes in boxes. */
export const notes = defineCollection({
  name: 'NOTE',
  schema,
  id: 'id',
  scope: { name: 'BOX', attribute: 'box' },
  order: { attribute: 'place', type: 'number' },
  facets: { kind: oneOf(), colour: anyOf(COLOURS) },
  leaderboards: { red: { where: { colour: ['red'] }, shards: 2 }, full: { where: {}, shards: 1 } },
})
