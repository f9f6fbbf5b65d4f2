import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** A resource of a CloudFormation template. */
export interface Resource {
  readonly Type: string
  // biome-ignore lint/suspicious/noExplicitAny: properties are whatever CloudFormation has.
  readonly Properties: any
}

/** A function of the stack: where its bundle lies, and which actions on DynamoDB its role allows. */
export interface SynthesizedFunction {
  readonly bundle: string
  readonly allowed: readonly string[]
  readonly variables: readonly string[]
}

/** The stack as CDK synthesizes it. */
export interface Synthesized extends Disposable {
  /** Returns the one resource of a type. */
  only(type: string): Resource
  function(name: string): SynthesizedFunction
}

const STACK = fileURLToPath(new URL('../../aws/', import.meta.url))

/** Lets CDK bundle the functions and write the template. */
export async function synthesize(): Promise<Synthesized> {
  const folder = mkdtempSync(join(tmpdir(), 'lapidary-stack-'))
  const env = { ...process.env, CDK_OUTDIR: folder, NODE_NO_WARNINGS: '1' }
  await promisify(execFile)(process.execPath, ['--import', 'tsx', 'app.ts'], { cwd: STACK, env })
  const { Resources } = JSON.parse(readFileSync(join(folder, 'Comments.template.json'), 'utf8')) as {
    readonly Resources: Readonly<Record<string, Resource>>
  }
  const ofType = (type: string): readonly (readonly [string, Resource])[] =>
    Object.entries(Resources).filter(([, { Type }]) => Type === type)
  return {
    only(type) {
      const [found, ...others] = ofType(type)
      if (found === undefined || others.length > 0) throw new Error(`there is not one ${type}`)
      return found[1]
    },
    function(name) {
      const [, { Properties } = { Properties: {} }] =
        ofType('AWS::Lambda::Function').find(([id]) => id.startsWith(name)) ?? []
      const role = Properties.Role['Fn::GetAtt'][0]
      const policies = ofType('AWS::IAM::Policy').filter(([, policy]) => policy.Properties.Roles[0].Ref === role)
      const actions = policies
        .flatMap(([, policy]) => policy.Properties.PolicyDocument.Statement as { Action: string | string[] }[])
        .flatMap(({ Action }) => Action)
      return {
        bundle: join(folder, `asset.${Properties.Code.S3Key.replace('.zip', '')}`),
        allowed: actions.map((action) => action.replace('dynamodb:', '')),
        variables: Object.keys(Properties.Environment.Variables),
      }
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  }
}
