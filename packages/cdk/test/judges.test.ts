import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { tableFor } from 'lapidary'
import { cloudFormationTemplate, terraformConfiguration } from 'lapidary/schema'
import { beforeAll, describe, expect, test } from 'vitest'
import { comments } from '../../../apps/comments/src/comment.ts'
import { judges } from './judges.ts'
import { synthesize, synthesized } from './synthesized.ts'

const STACKS = ['Comments', 'CommentsTest', 'CommentsRestored', 'Orders', 'CommentsAbroad', 'CommentsAbroadEdge']
/** The CDK's own functions that carry values from region to region: neither their code nor their settings are ours. */
const OF_THE_CDK = /^CKV_AWS_11[567] at CustomCrossRegionExport(Reader|Writer)CustomResourceProviderHandler/

let good: Awaited<ReturnType<typeof synthesized>>

beforeAll(async () => {
  good = await synthesized()
})

test('cdk-nag finds nothing in any stack that is not accepted with its reason', () => {
  expect(good.findings).toEqual([])
})

test('cfn-lint and checkov find nothing in any template', async () => {
  const files = STACKS.map((name) => good.stack(name).file)
  expect(await judges.cfnLint(...files)).toEqual([])
  expect((await judges.checkov(...files)).filter((finding) => !OF_THE_CDK.test(finding))).toEqual([])
})

describe('what the command line prints', () => {
  const definition = tableFor({ tableName: 'comments', collections: { comments } })
  const printed = (name: string, document: object): string => {
    const file = join(dirname(good.stack('Comments').file), name)
    writeFileSync(file, JSON.stringify(document, null, 2))
    return file
  }

  test('for CloudFormation passes cfn-lint and checkov', async () => {
    const file = printed('CommandLine.template.json', cloudFormationTemplate(definition, { collections: { comments } }))
    expect(await judges.cfnLint(file)).toEqual([])
    expect(await judges.checkov(file)).toEqual([])
  })

  test('for Terraform passes checkov', async () => {
    const file = printed('printed.tf.json', terraformConfiguration(definition, { collections: { comments } }))
    // DynamoDB encrypts the table with a key of its own; JSON has no comment that could say so there.
    expect(await judges.checkov(file)).toEqual(['CKV_AWS_119 at lapidary'])
  })
})

describe('a template that is broken', () => {
  /** Returns a copy of the template of the comments with something changed. */
  function broken(
    name: string,
    change: (resource: { Type: string; Properties: Record<string, unknown> }) => void,
  ): string {
    const { file } = good.stack('Comments')
    const template = JSON.parse(readFileSync(file, 'utf8'))
    for (const resource of Object.values(template.Resources)) change(resource as never)
    const changed = file.replace('Comments.template', `${name}.template`)
    writeFileSync(changed, JSON.stringify(template))
    return changed
  }

  test('is found by cfn-lint', async () => {
    const file = broken('Misspelt', ({ Type, Properties }) => {
      if (Type === 'AWS::Lambda::EventSourceMapping') Properties.TumblingWindow = 900
    })
    expect((await judges.cfnLint(file)).join()).toMatch(/E3002 at CommentsStreamChanges/)
  })

  test('is found by checkov', async () => {
    const file = broken('Open', ({ Type, Properties }) => {
      if (Type === 'AWS::Lambda::Url') Properties.AuthType = 'NONE'
      if (Type === 'AWS::DynamoDB::GlobalTable')
        Properties.Replicas = [
          { Region: 'us-east-1', PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: false } },
        ]
    })
    const found = (await judges.checkov(file)).map((finding) => finding.replace(/ at .*/, ''))
    expect(found).toEqual(expect.arrayContaining(['CKV_AWS_258', 'CKV_AWS_165']))
  })

  test('is found by cdk-nag', async () => {
    using bad = await synthesize('broken')
    expect(bad.findings).toEqual([
      'AwsSolutions-IAM5[Action::dynamodb:*] at Broken/All/DefaultPolicy/Resource',
      'AwsSolutions-IAM5[Resource::*] at Broken/All/DefaultPolicy/Resource',
    ])
  })
})

test('every finding that is accepted has a reason that says something', () => {
  const accepted = STACKS.flatMap((name) =>
    Object.values(good.stack(name).resources).flatMap(
      ({ Metadata = {} }) =>
        (Metadata as { readonly checkov?: { readonly skip: readonly Skip[] } }).checkov?.skip ?? [],
    ),
  )
  expect(accepted.length).toBeGreaterThan(40)
  expect(accepted.filter(({ comment }) => comment.length < 30)).toEqual([])
})

interface Skip {
  readonly id: string
  readonly comment: string
}
