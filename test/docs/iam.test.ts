import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { createLapidary, segments } from 'lapidary'
import { type RoleName, rolesOf } from 'lapidary/schema'
import { importItems } from 'lapidary/transfer'
import { type Engine, openEngine } from 'lapidary-engine'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PACKAGES } from '../architecture/packages.ts'
import { isTest, ROOT, sources } from '../architecture/sources.ts'
import { comments } from '../package/comments.ts'

/** The actions of commands whose name differs from the action's. */
const ACTIONS: Readonly<Record<string, readonly string[]>> = {
  TransactGetItems: ['GetItem'],
  TransactWriteItems: ['PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
  BatchExecuteStatement: ['PartiQLInsert'],
}
/** Of S3 and of Secrets Manager. */
const ELSEWHERE = new Set(['GetObject', 'PutObject', 'DeleteObject', 'ListObjectsV2', 'GetSecretValue'])

interface Policy {
  readonly Statement: readonly { readonly Action: readonly string[] }[]
}

const page = await readFile(join(ROOT, 'docs/iam.md'), 'utf8')
const allowed = new Map(
  [...page.matchAll(/^## (\w+)\n[\s\S]*?```json\n([\s\S]*?)```/gm)].map(([, role = '', json = '']) => {
    const actions = (JSON.parse(json) as Policy).Statement.flatMap(({ Action }) => Action)
    return [role, new Set(actions.map((action) => action.replace('dynamodb:', '')))] as const
  }),
)

test('the policies allow what the code calls, and nothing else', () => {
  const files = sources(PACKAGES.filter((name) => name !== 'testing').map((name) => `packages/${name}/src`))
  const called = files
    .filter((source) => !isTest(source))
    .flatMap(({ text }) => [...text.matchAll(/\bnew (\w+)Command\(/g)].map(([, name = '']) => name))
    .filter((name) => !ELSEWHERE.has(name))
  const needed = new Set(called.flatMap((name) => ACTIONS[name] ?? [name]))
  const granted = new Set([...allowed.values()].flatMap((actions) => [...actions]))
  expect([...granted].toSorted()).toEqual([...needed].toSorted())
})

test('the roles that are printed allow what the page does, and by keys', () => {
  for (const role of ['Reader', 'Application', 'Projections', 'Maintenance']) {
    const statements = rolesOf({ collections: { comments } })[role.toLowerCase() as RoleName]
    const printed = new Set(statements.flatMap(({ actions }) => actions))
    // The event source mapping asks for it, and no call of Lapidary's.
    printed.delete('ListStreams')
    expect([...printed].toSorted(), role).toEqual([...(allowed.get(role) ?? [])].toSorted())
  }
})

describe('each role calls only what its policy allows', () => {
  let engine: Engine

  beforeAll(async () => {
    engine = await openEngine()
    await using creator = open('Table')
    await creator.lapidary.table.create()
    expect(creator.refused()).toEqual([])
  })
  afterAll(() => engine.close())

  /** Opens a database for a role, and notes the actions that it needed and may not take. */
  function open(role: string) {
    const used = new Set<string>()
    const client = new DynamoDBClient(engine.clientConfig)
    client.middlewareStack.add(
      (next, context) => (request) => {
        for (const action of actionsOf(String(context.commandName), request.input)) used.add(action)
        return next(request)
      },
      { step: 'initialize' },
    )
    const lapidary = createLapidary({
      ...{ client, tableName: 'comments', collections: { comments }, cursorSecret: 'at least sixteen characters' },
      ...{ derived: { counts: true, pages: segments() }, stream: { immediate: true } },
    })
    return {
      lapidary,
      refused: () => [...used].filter((action) => allowed.get(role)?.has(action) !== true),
      async [Symbol.asyncDispose]() {
        client.destroy()
      },
    }
  }

  test('application, projections, reader and maintenance', async () => {
    await using application = open('Application')
    await using projections = open('Projections')
    await using reader = open('Reader')
    await using maintenance = open('Maintenance')
    const written = { productId: '42', language: 'en', rating: 5, text: 'Good.' }
    for (let i = 0; i < 30; i++) await application.lapidary.comments.create({ ...written, id: `${i}` })
    await application.lapidary.comments.create({ ...written, id: 'once' }, { idempotencyKey: 'once' })
    await application.lapidary.comments.patch('1', { rating: 4 })
    await application.lapidary.comments.delete('2')
    await maintenance.lapidary.derived.rebuildPages()
    {
      await using _poller = await projections.lapidary.stream.start()
      await expect.poll(async () => (await reader.lapidary.comments.count({ scope: '42' })).total).toBe(30)
    }
    const { items } = await reader.lapidary.comments.list({ scope: '42', where: { rating: [4, 5] } })
    await reader.lapidary.comments.getMany(items.map(({ id }) => id))
    await reader.lapidary.comments.get('1')
    await reader.lapidary.comments.page(3, { scope: '42', limit: 5, where: { rating: [4, 5] } })
    const { derived, table } = maintenance.lapidary
    const imported = [{ ...written, id: 'imported', createdAt: '2020-11-09T12:00:00.123Z' }]
    await importItems(maintenance.lapidary.comments, imported, { onConflict: 'skip' })
    await derived.verify()
    await derived.verify({ sample: 1 })
    await derived.repair()
    await derived.rebuild()
    await table.backfill()
    const refused = { application, projections, reader, maintenance }
    expect(Object.fromEntries(Object.entries(refused).map(([role, opened]) => [role, opened.refused()]))).toEqual({
      ...{ application: [], projections: [], reader: [], maintenance: [] },
    })
  })
})

/** Returns the actions that DynamoDB asks for; for a transaction those of its parts. */
function actionsOf(command: string, input: unknown): readonly string[] {
  const name = command.replace(/Command$/, '')
  if (name !== 'TransactWriteItems') return ACTIONS[name] ?? [name]
  const { TransactItems } = input as { readonly TransactItems: readonly object[] }
  const parts = TransactItems.flatMap((item) => Object.entries(item).filter(([, part]) => part !== undefined))
  return parts.map(([part]) => (part === 'ConditionCheck' ? 'ConditionCheckItem' : `${part}Item`))
}
