import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { type LayoutName, layoutNamed, type PageStore, pageMarkers, segments } from 'lapidary'
import { commentsIn } from '../comment.ts'
import { ConfigError } from '../config.ts'
import type { KeptTable } from '../kept-comment.ts'
import { forgottenVotes } from '../votes/forgotten-votes.ts'

/** Stores of page numbers that need only the table; functions share no disk, and the stack makes no server. */
const PAGE_STORES: Readonly<Record<string, () => PageStore | undefined>> = {
  none: () => undefined,
  dynamodb: () => segments(),
  'page-markers': () => pageMarkers(),
}

const { LAYOUT = 'indexes', PAGE_INDEX = 'dynamodb' } = process.env
const open = Object.hasOwn(PAGE_STORES, PAGE_INDEX) ? PAGE_STORES[PAGE_INDEX] : undefined
if (open === undefined)
  throw new ConfigError(`PAGE_INDEX ${PAGE_INDEX} is not for functions; use ${Object.keys(PAGE_STORES).join(', ')}`)
const pages = open()

let votedTable: KeptTable | undefined
/** The table in which votes are forgotten, from the first that are: what only describes the database has no table. */
const tableOfVotes = (): KeptTable => {
  if (votedTable !== undefined) return votedTable
  const client = new DynamoDBClient({})
  votedTable = { tableName: process.env.TABLE_NAME ?? '', send: client.send.bind(client) as KeptTable['send'] }
  return votedTable
}

/** The database of the application's functions, which is that of the server by the same variables. */
export default {
  collections: { comments: commentsIn(LAYOUT) },
  layout: layoutNamed(LAYOUT as LayoutName),
  derived: { ...(pages === undefined ? {} : { pages }), projections: [forgottenVotes(tableOfVotes)] },
}
