import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DeleteTableCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { PATIENCE } from '../../../test/engines/patience.ts'
import { type CliHome, openCliHome } from './run-cli.ts'

describe('lapidary', () => {
  let home: CliHome
  let client: DynamoDBClient
  beforeAll(async () => {
    home = await openCliHome()
    client = new DynamoDBClient(home.engine.clientConfig)
    const { code } = await home.run(['generate', '--products', '5', '--comments', '300', '--seed', '1'])
    expect(code).toBe(0)
    // Counts are unknown in a table whose change stream no process has counted.
    expect((await home.run(['rebuild', 'statistics'])).code).toBe(0)
  })
  afterAll(async () => {
    client.destroy()
    await home[Symbol.asyncDispose]()
  })

  it.each([
    [[]],
    [['frobnicate']],
    [['import']],
    [['list']],
    [['list', '--scope', '42', '--nope']],
    [['list', '--scope', '42', '--limit', '101']],
    [['list', '--scope', '42', '--order', 'up']],
    [['list', '--scope', '42', '--by', 'author']],
    [['list', '--scope', '42', '--where', 'colour=red']],
    [['list', '--scope', '42', '--where', 'rating=6']],
    [['list', '--scope', '42', '--where', 'rating']],
    [['list', '--scope', '42', '--where', 'language=en', '--where', 'language=de']],
    [['list', '--scope', '42', '--from', 'yesterday']],
    [['list', '--scope', '42', '--layout', 'none']],
    [['list', '--scope', '42', '--collection', 'users']],
    [['delete-all', '--yes']],
    [['delete-all', '--scope', '42']],
    [['delete-all', '--scope', '42', '--order', 'oldest', '--yes']],
    [['delete-all', '--scope', '42', '--where', 'rating=6', '--yes']],
    [['generate', '--comments', '1.5']],
    [['table', '--format', 'xml']],
    [['resp', '--port', '70000']],
  ])('%j is wrong usage', async (args) => {
    const { code, stdout, stderr } = await home.run(args)
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/^lapidary: |^Usage/)
    expect(stderr).not.toMatch(/\n\s+at /)
  })

  it('says a failure as JSON when it is asked for JSON', async () => {
    const { code, stdout } = await home.runAlone(['list', '--scope', '42', '--where', 'rating=6', '--json'])
    expect(code).toBe(2)
    expect(JSON.parse(stdout)).toEqual({
      error: { code: 'usage', message: expect.stringContaining('rating: must be one of') },
    })
    const both = await home.run(['list', '--scope', '42', '--page', '3', '--cursor', 'x', '--json'])
    expect([both.code, JSON.parse(both.stdout).error.message]).toEqual([2, expect.stringContaining('one of them')])
    const none = await home.runAlone(['list', '--scope', '42', '--page', '3', '--json'], {
      env: { PAGE_INDEX: 'none' },
    })
    expect([none.code, JSON.parse(none.stdout).error.code]).toEqual([1, 'not_implemented'])
  })

  it('helps', async () => {
    const { code, stdout } = await home.runAlone(['--help'])
    expect(code).toBe(0)
    for (const command of [
      'import',
      'export',
      'generate',
      'list',
      'explain',
      'delete-all',
      'table',
      'backfill',
      'doctor',
    ])
      expect(stdout).toContain(`  ${command} `)
    expect((await home.run(['import', '--help'])).stdout).toContain('DYNAMODB_ENDPOINT')
    expect((await home.run(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  it('lists pages that follow each other by cursor', async () => {
    const query = ['list', '--scope', '42', '--where', 'rating=1,4', '--where', 'rating=5', '--limit', '30', '--json']
    const seen: { id: string; createdAt: string; rating: number }[] = []
    let cursor: string | null = null
    do {
      const { code, stdout } = await home.run([...query, ...(cursor === null ? [] : ['--cursor', cursor])])
      expect(code).toBe(0)
      const page = JSON.parse(stdout)
      seen.push(...page.items)
      cursor = page.cursors.next
    } while (cursor !== null)
    const exported = (await home.run(['export'])).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const expected = exported.filter(({ productId, rating }) => productId === '42' && [1, 4, 5].includes(rating))
    expect(seen.map(({ id }) => id).sort()).toEqual(expected.map(({ id }) => id).sort())
  })

  it('lists for people, with the way on', async () => {
    const command = ['list', '--scope', '42', '--where', 'language=en', '--limit', '3', '--from', '2021-01-01']
    // A page waits for its total for a while only, which a slow machine may take longer than.
    const { code, stdout } = await vi.waitFor(async () => {
      const run = await home.run(command)
      expect(run.stdout).toContain(' items in all')
      return run
    }, PATIENCE)
    expect(code).toBe(0)
    const lines = stdout.split('\n')
    expect(lines[0]).toMatch(
      /^createdAt +id +language +rating +verified +answered +title +text +author +helpful +attached$/,
    )
    expect(lines[5]).toBe('')
    expect(lines[6]).toMatch(/^3 items; \w+\[42\/en.* FROM 2021-01-01T00:00:00.000Z LIMIT 3 -- /)
    expect(lines[7]).toMatch(/^page 1 of 11, 33 items in all; page index: [\d.]+ RCU, \d rounds?$/)
    expect(lines[8]).toMatch(/^next: {5}--cursor \S+$/)
    const none = await home.run(['list', '--scope', 'nothing here'])
    expect([none.code, none.stdout.split('\n')[0]]).toEqual([0, 'no items'])
  })

  it('deletes all items of a scope that pass a filter, once that is said', async () => {
    const table = ['--table-name', 'thinned']
    await home.run(['generate', '--products', '3', '--comments', '120', '--seed', '2', ...table])
    const totals = async () => {
      const listed = ['list', '--scope', '42', '--page', '1', '--json', ...table]
      const ones = await home.run([...listed, '--where', 'rating=1', '--limit', '100'])
      const others = await home.run([...listed, '--where', 'rating=2,3,4,5', '--limit', '100'])
      const all = await home.run(['export', ...table])
      return {
        all: all.stdout.trim().split('\n').length,
        ones: JSON.parse(ones.stdout).items.length as number,
        others: JSON.parse(others.stdout).items.length as number,
      }
    }
    const before = await totals()
    expect(before.ones).toBeGreaterThan(0)
    const command = ['delete-all', '--scope', '42', '--where', 'rating=1', ...table]

    const dry = await home.run([...command, '--dry-run'])
    expect(dry.code).toBe(0)
    expect(dry.stdout).toMatch(new RegExp(`^${before.ones} items? would be deleted; nothing was changed; `))
    expect(await totals()).toEqual(before)

    const refused = await home.run([...command, '--json'])
    expect([refused.code, JSON.parse(refused.stdout).error.message]).toEqual([2, expect.stringContaining('--yes')])

    const done = await home.run([...command, '--yes', '--json'])
    expect(done.code).toBe(0)
    expect(JSON.parse(done.stdout)).toMatchObject({ dryRun: false, deleted: before.ones })
    expect(done.stderr).toMatch(/ deleted, [\d.]+ capacity units?/)
    expect(await totals()).toEqual({ all: before.all - before.ones, ones: 0, others: before.others })
    expect((await home.run([...command, '--yes'])).stdout).toMatch(/^0 items deleted; /)
  })

  it('shows whole numbers that no double holds, with all their digits', async () => {
    const first = async () =>
      JSON.parse((await home.run(['list', '--scope', '42', '--limit', '1', '--json'])).stdout).items[0]
    const { id } = (await first()) as { readonly id: string }
    const Key = { PK: { S: `COMMENT#${id}` }, SK: { S: '~' } }
    // The version, under its stored name.
    const put = (N: string) =>
      client.send(
        new UpdateItemCommand({
          ...{ TableName: 'comments', Key, UpdateExpression: 'SET v = :n' },
          ExpressionAttributeValues: { ':n': { N } },
        }),
      )
    await put('9007199254740993')
    const shown = await home.run(['show', id, '--json'])
    const text = await home.run(['show', id])
    const listed = await first()
    await put('1')
    expect(JSON.parse(shown.stdout)).toMatchObject({ item: { version: '9007199254740993' } })
    expect(text.stdout).toContain('"version": "9007199254740993"')
    expect(listed).toMatchObject({ id, version: '9007199254740993' })
  })

  it('refuses an altered cursor', async () => {
    const { code, stderr } = await home.run(['list', '--scope', '42', '--cursor', 'AAAA'])
    expect(code).toBe(1)
    expect(stderr).toContain('cursor')
  })

  it('explains with estimates beside actual figures', async () => {
    const args = ['explain', '--scope', '42', '--where', 'language=en', '--where', 'rating=2,3']
    const plan = JSON.parse((await home.run([...args, '--json'])).stdout)
    const { stdout } = await home.run(args)
    expect(stdout.split('\n')[0]).toBe(plan.text)
    expect(stdout).toMatch(
      /LIMIT 20 BY position DESC +\(estimated [\d.]+ RCU, 20 items\) +\(actual [\d.]+ RCU, \d+ request/,
    )
    expect(stdout).toContain('└─ ')
    expect(stdout).toContain('Rejected')
    expect(plan.actual.itemsReturned).toBeGreaterThan(0)
  })

  it('prints a definition that creates the table, and doctor finds it as declared', async () => {
    const { stdout } = await home.run(['table', '--format', 'create-table', '--table-name', 'made'])
    await client.send(new CreateTableCommand(JSON.parse(stdout) as CreateTableCommandInput))
    const first = JSON.parse((await home.run(['doctor', '--table-name', 'made', '--json'])).stdout)
    expect(first.findings.filter(({ ok }: { ok: boolean }) => !ok)).toEqual([
      expect.objectContaining({ check: 'declaration', message: 'time to live: disabled, declared ttl' }),
      expect.objectContaining({
        check: 'counts',
        message: expect.stringContaining('are not made for this declaration'),
      }),
      expect.objectContaining({ check: 'counts-by-day' }),
      expect.objectContaining({ check: 'leaderboards' }),
      expect.objectContaining({ check: 'page index', remedy: 'lapidary rebuild page-index' }),
      ...['helpful', 'rating'].map((order) =>
        expect.objectContaining({ check: 'page index', message: expect.stringContaining(`{ order: '${order}' }`) }),
      ),
    ])
    await client.send(new DeleteTableCommand({ TableName: 'made' }))
  })

  it('prints CloudFormation with stream and expiry', async () => {
    const { stdout } = await home.run(['table', '--format', 'cloudformation'])
    const { Type, Properties } = JSON.parse(stdout).Resources.Table
    expect(Type).toBe('AWS::DynamoDB::Table')
    expect(Properties.StreamSpecification).toEqual({ StreamViewType: 'NEW_AND_OLD_IMAGES' })
    expect(Properties.TimeToLiveSpecification).toEqual({ AttributeName: 'ttl', Enabled: true })
    expect(Properties.GlobalSecondaryIndexes.map(({ IndexName }: { IndexName: string }) => IndexName)).toEqual([
      'all',
      'byLanguage',
      'byRating',
      'byLanguageAndRating',
      'allByHelpful',
      'byLanguageByHelpful',
      'allByRating',
    ])
  })

  it('prints a policy for each role and the alarms, for CloudFormation and for Terraform', async () => {
    const { Resources } = JSON.parse((await home.run(['table', '--format', 'cloudformation'])).stdout)
    const { Statement } = Resources.ApplicationPolicy.Properties.PolicyDocument
    expect(Statement[1].Condition['ForAllValues:StringLike']).toEqual({
      'dynamodb:LeadingKeys': ['COMMENT#*', '~once#COMMENT#*'],
    })
    expect(Resources.TableIsThrottled.Type).toBe('AWS::CloudWatch::Alarm')
    const { resource } = JSON.parse((await home.run(['table', '--format', 'terraform'])).stdout)
    expect(resource.aws_dynamodb_table.lapidary).toMatchObject({ name: 'comments', deletion_protection_enabled: true })
    expect(resource.aws_iam_policy.application.policy).toContain('~once#COMMENT#*')
  })

  it('prints CDK code and a Workbench model', async () => {
    expect((await home.run(['table', '--format', 'cdk'])).stdout).toContain("indexName: 'byLanguageAndRating'")
    const model = JSON.parse((await home.run(['table', '--format', 'workbench'])).stdout)
    expect(model.DataModel[0].KeyAttributes.PartitionKey.AttributeName).toBe('PK')
  })

  it('is well when the table is as declared, and says what to do when it is not', async () => {
    const well = await home.run(['doctor', '--allow-behind'])
    expect([well.code, well.stdout]).toEqual([0, expect.not.stringContaining('WRONG')])
    const missing = await home.run(['doctor', '--table-name', 'nowhere'])
    expect([missing.code, missing.stdout]).toEqual([
      1,
      expect.stringContaining('WRONG  table: there is no table nowhere'),
    ])
    await home.run(['generate', '--comments', '1', '--table-name', 'spoilt'])
    await client.send(
      new UpdateTableCommand({
        TableName: 'spoilt',
        GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: 'byRating' } }],
      }),
    )
    const spoilt = await home.run(['doctor', '--table-name', 'spoilt'])
    expect([spoilt.code, spoilt.stdout]).toEqual([
      1,
      expect.stringContaining('WRONG  declaration: index byRating: missing'),
    ])
    expect(spoilt.stdout).toContain('do: create the index byRating')
  })

  it.each([
    ['absent', 'are not made for this declaration'],
    ['filling', 'are being made, or that was cut short'],
    ['abandoned', 'were left behind by a process that could not keep them'],
  ])('names counts and leaderboards that are not known: %s', async (state, why) => {
    const Key = { PK: { S: '~DERIVED' }, SK: { S: '~' } }
    const { Item = {} } = await client.send(new GetItemCommand({ TableName: 'comments', Key, ConsistentRead: true }))
    const shapes = Object.entries(Item.shapes?.M ?? {}).map(([id, { M }]) => [id, { M: { ...M, state: { S: state } } }])
    const M = state === 'absent' ? {} : Object.fromEntries(shapes)
    await client.send(new PutItemCommand({ TableName: 'comments', Item: { ...Item, shapes: { M } } }))
    const { code, stdout } = await home.run(['doctor'])
    const counted = await home.run(['count', '--scope', '42'])
    await client.send(new PutItemCommand({ TableName: 'comments', Item }))
    expect([code, stdout]).toEqual([1, expect.stringContaining(`counts of COMMENT ${why}`)])
    expect(stdout).toContain(`leaderboards of COMMENT ${why}`)
    expect(stdout).toContain('or run lapidary rebuild')
    expect(counted.stdout).toMatch(/^not known: /)
    expect((await home.run(['doctor'])).stdout).not.toContain('of COMMENT are')
  })

  it('says when DynamoDB is not there', async () => {
    const { code, stderr } = await home.run(['list', '--scope', '42', '--endpoint', 'http://127.0.0.1:9'])
    expect(code).toBe(1)
    expect(stderr).toContain("can't be reached")
    expect((await home.run(['list', '--scope', '42', '--endpoint', 'nonsense'])).stderr).toContain(
      '"nonsense" is not a URL',
    )
  })

  it('lets a flag win over its environment variable', async () => {
    const env = { TABLE_NAME: 'nowhere' }
    expect((await home.run(['list', '--scope', '42'], { env })).stderr).toContain('there is no table nowhere')
    expect((await home.run(['list', '--scope', '42', '--table-name', 'comments'], { env })).code).toBe(0)
  })

  it('finds the configuration upward, and says what is wrong with one', async () => {
    let project = ''
    const begin = (name: string) => {
      project = home.file(name)
      mkdirSync(join(project, 'deep/er'), { recursive: true })
    }
    const doctor = (args: string[] = []) => home.run(['doctor', ...args], { cwd: join(project, 'deep/er') })
    begin('none')
    expect((await doctor()).stdout).toContain('there is no lapidary.config.ts in')
    // Each in a project of its own: a process does not load again what it has loaded.
    for (const [name, text, message] of [
      ['plain', 'export const config = 1\n', 'has no default export'],
      ['empty', 'export default { collections: {} } satisfies object\n', 'names no collections'],
      ['foreign', 'export default { collections: { a: 1 } }\n', 'not made by defineCollection'],
      ['broken', 'export default {{\n', "can't be loaded"],
    ] as const) {
      begin(name)
      writeFileSync(join(project, 'lapidary.config.ts'), text)
      expect((await doctor()).stdout).toContain(message)
    }
    expect((await doctor(['--config', 'absent.ts'])).stdout).toContain('absent.ts does not exist')
  })
})
