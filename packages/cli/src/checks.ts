import { DescribeTimeToLiveCommand } from '@aws-sdk/client-dynamodb'
import { compareTable } from 'lapidary/schema'
import type { Check, Finding } from './finding.ts'
import { indexCheck } from './index-check.ts'
import { databaseText, type Session } from './session.ts'
import { streamCheck } from './stream-check.ts'
import { unknownCounts } from './unknown-counts.ts'

/** The checks of a deployment, before its processes start. */
export const DEPLOYMENT_CHECKS: readonly Check[] = [declarationCheck, indexCheck]

/** Checks of a table that exists, in order. */
export const TABLE_CHECKS: readonly Check[] = [
  ...DEPLOYMENT_CHECKS,
  replicaCheck,
  streamCheck,
  derivedCheck,
  pageIndexCheck,
]

const LEAST_NODE = [20, 19] as const

/** Checks that this Node.js can run Lapidary. */
export function nodeCheck(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const ok = major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1])
  const least = LEAST_NODE.join('.')
  return ok
    ? { check: 'node', ok, message: `Node.js ${version}` }
    : { check: 'node', ok, message: `Node.js ${version} is too old`, remedy: `install ${least} or later` }
}

/** Checks that DynamoDB answers, and that the table is there. */
export async function tableCheck(session: Session): Promise<readonly Finding[]> {
  const { engine, dataDir, definition, config } = session
  const started = performance.now()
  const table = await session.describeTable()
  const ms = performance.now() - started
  const reached: Finding = {
    check: 'engine',
    ok: true,
    message: `${databaseText(engine, dataDir)} answered in ${ms.toFixed(1)} ms`,
  }
  const { tableName } = definition
  if (table === undefined) {
    const remedy = `start the server, import or generate, which create it; on AWS, deploy what lapidary table --format cloudformation prints`
    return [reached, { check: 'table', ok: false, message: `there is no table ${tableName}`, remedy }]
  }
  const collections = Object.keys(config.collections).join(', ')
  const status = table.TableStatus ?? 'ACTIVE'
  const found = `table ${tableName} for ${collections}, ${status}`
  if (status === 'ACTIVE') return [reached, { check: 'table', ok: true, message: found }]
  return [reached, { check: 'table', ok: false, message: found, remedy: 'wait until it is ACTIVE' }]
}

async function declarationCheck(session: Session): Promise<readonly Finding[]> {
  const { client, definition } = session
  const table = await session.requireTable()
  const { TimeToLiveDescription: ttl } = await client.send(
    new DescribeTimeToLiveCommand({ TableName: definition.tableName }),
  )
  const enabled = ttl?.TimeToLiveStatus === 'ENABLED' || ttl?.TimeToLiveStatus === 'ENABLING'
  const differences = compareTable(definition, table, enabled ? ttl?.AttributeName : undefined)
  if (differences.length === 0) {
    const names = definition.indexes.map(({ name }) => name).join(', ')
    return [
      {
        check: 'declaration',
        ok: true,
        message: `keys, indexes (${names}), projections, stream and expiry are as declared`,
      },
    ]
  }
  return differences.map(({ what, expected, actual, remedy }) => ({
    check: 'declaration',
    ok: false,
    message: `${what}: ${actual}, declared ${expected}`,
    remedy,
  }))
}

/** Warns where another region writes to the table: only one region may count, and this check can't know which. */
export async function replicaCheck(session: Session): Promise<readonly Finding[]> {
  const { Replicas = [] } = await session.requireTable()
  if (Replicas.length === 0) return []
  const regions = Replicas.map(({ RegionName }) => RegionName).join(', ')
  const message = `a global table, with replicas in ${regions}: run the projections in one region only; of counts written in two, the last writer's win`
  return [{ check: 'replicas', ok: true, message }]
}

/** Checks that counts and leaderboards are known. Page indexes have a check of their own. */
async function derivedCheck(session: Session): Promise<readonly Finding[]> {
  const unknown = await unknownCounts(session)
  return unknown.map(({ collection, name, state }) => {
    const why = {
      absent: 'are not made for this declaration',
      filling: 'are being made, or that was cut short',
      abandoned: 'were left behind by a process that could not keep them',
    }[state]
    const remedy =
      'let a process follow the change stream (the server, or lapidary stream): it makes them; or run lapidary rebuild'
    return { check: name, ok: false, message: `${name} of ${collection} ${why}: they are not known until then`, remedy }
  })
}

/** Checks that pages can be read by number. */
async function pageIndexCheck({ items }: Session): Promise<readonly Finding[]> {
  const check = 'page index'
  const findings = items.context.pages.map(async (index): Promise<Finding> => {
    const { lists, label } = index
    const which = label === undefined ? '' : ` of ${label}`
    const state = await index.state()
    const isBuilt = state === 'ready' || state === 'uncounted' || state === 'gap'
    const full = isBuilt ? await lists.full?.() : undefined
    if (full !== undefined) return { check, ok: false, message: full }
    if (isBuilt) return { check, ok: true, message: `pages by number${which}, from ${lists.name}` }
    const message = `${state === 'filling' ? 'it is being built, or a rebuild was cut short' : 'it is not built'}: pages${which} are read by cursor only`
    return {
      check,
      ok: false,
      message,
      remedy: `lapidary rebuild page-index${label === undefined ? '' : ' --missing'}`,
    }
  })
  return Promise.all(findings)
}
