import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { onceARun } from '../../../test/engines/once-a-run.ts'
import { rightsOf, type Statement } from './policy.ts'

/** A resource of a CloudFormation template. */
export interface Resource {
  readonly Type: string
  // biome-ignore lint/suspicious/noExplicitAny: properties are whatever CloudFormation has.
  readonly Properties: any
  readonly DeletionPolicy?: string
  readonly Metadata?: object
}

/** A function of a stack: where its bundle lies, what its role allows, and its variables. */
export interface SynthesizedFunction {
  readonly bundle: string
  readonly rights: readonly Statement[]
  readonly variables: Readonly<Record<string, unknown>>
  // biome-ignore lint/suspicious/noExplicitAny: properties are whatever CloudFormation has.
  readonly properties: any
}

/** A stack as the CDK synthesizes it. */
export interface Synthesized {
  /** The file of its template. */
  readonly file: string
  readonly resources: Readonly<Record<string, Resource>>
  /** Returns the resources of a type. */
  all(type: string): readonly Resource[]
  /** Returns the one resource of a type. */
  only(type: string): Resource
  /** Returns the function whose logical id begins so. */
  function(name: string): SynthesizedFunction
  /** Returns what a role allows that no function has. */
  rightsOfRole(name: string): readonly Statement[]
}

/** Stacks in a folder of their own, and what cdk-nag says of them. */
export interface Assembly extends Disposable {
  stack(name: string): Synthesized
  /** What cdk-nag reported: `AwsSolutions-IAM5 at Broken/All/DefaultPolicy/Resource`. */
  readonly findings: readonly string[]
}

const PACKAGE = fileURLToPath(new URL('../', import.meta.url))

/** Lets the CDK bundle the functions of stacks that `stacks/judged.ts` names, write their templates, and cdk-nag look at them. */
export async function synthesize(...names: readonly string[]): Promise<Assembly> {
  const folder = mkdtempSync(join(tmpdir(), 'lapidary-stack-'))
  const findings = await synthesizeInto(folder, names)
  return {
    findings,
    stack: (name) => readStack(folder, name),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  }
}

const FINDINGS = 'findings.json'

/** Does the same for the stacks that several files of tests look at, once a run. */
export async function synthesized(): Promise<Pick<Assembly, 'stack' | 'findings'>> {
  const folder = await onceARun('stacks', async (made) => {
    const findings = await synthesizeInto(made, ['comments', 'second', 'adopted', 'orders', 'abroad', 'printed'])
    writeFileSync(join(made, FINDINGS), JSON.stringify(findings))
  })
  const findings = JSON.parse(readFileSync(join(folder, FINDINGS), 'utf8')) as readonly string[]
  return { findings, stack: (name) => readStack(folder, name) }
}

async function synthesizeInto(folder: string, names: readonly string[]): Promise<readonly string[]> {
  const env = { ...process.env, CDK_OUTDIR: folder, NODE_NO_WARNINGS: '1' }
  return promisify(execFile)(process.execPath, ['--import', 'tsx', 'stacks/judged.ts', ...names], {
    ...{ cwd: PACKAGE, env, maxBuffer: 1e8 },
  }).then(
    () => [],
    // What a judge finds ends the program, after all was written.
    (error: Error) => reported(folder, error),
  )
}

interface Report {
  readonly pluginReports: readonly {
    readonly violations: readonly {
      readonly ruleName: string
      readonly violatingConstructs: readonly { readonly constructPath: string }[]
    }[]
  }[]
}

function reported(folder: string, error: Error): readonly string[] {
  if (!existsSync(join(folder, 'validation-report.json'))) {
    rmSync(folder, { recursive: true })
    throw error
  }
  const { pluginReports } = JSON.parse(readFileSync(join(folder, 'validation-report.json'), 'utf8')) as Report
  const found = pluginReports.flatMap(({ violations }) =>
    violations.flatMap(({ ruleName, violatingConstructs }) =>
      violatingConstructs.map(({ constructPath }) => `${ruleName} at ${constructPath}`),
    ),
  )
  if (found.length === 0) throw error
  return found
}

function readStack(folder: string, name: string): Synthesized {
  const file = join(folder, `${name}.template.json`)
  const { Resources: resources } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly Resources: Readonly<Record<string, Resource>>
  }
  const ofType = (type: string): readonly (readonly [string, Resource])[] =>
    Object.entries(resources).filter(([, { Type }]) => Type === type)
  const rightsOfRole = (id: string): readonly Statement[] => {
    const policies = ofType('AWS::IAM::Policy').filter(([, policy]) => policy.Properties.Roles[0].Ref === id)
    return policies.flatMap(([, policy]) => rightsOf(policy.Properties.PolicyDocument))
  }
  return {
    ...{ file, resources },
    all: (type) => ofType(type).map(([, resource]) => resource),
    only(type) {
      const [found, ...others] = ofType(type)
      if (found === undefined || others.length > 0) throw new Error(`there is not one ${type}`)
      return found[1]
    },
    function(start) {
      const found = ofType('AWS::Lambda::Function').find(([id]) => id.startsWith(start))
      if (found === undefined) throw new Error(`there is no function ${start}`)
      const { Properties: properties } = found[1]
      return {
        bundle: join(folder, `asset.${properties.Code.S3Key.replace('.zip', '')}`),
        rights: rightsOfRole(properties.Role['Fn::GetAtt'][0]),
        ...{ variables: properties.Environment?.Variables ?? {}, properties },
      }
    },
    rightsOfRole(start) {
      const id = Object.keys(resources).find(
        (each) => each.startsWith(start) && resources[each]?.Type === 'AWS::IAM::Role',
      )
      if (id === undefined) throw new Error(`there is no role ${start}`)
      return rightsOfRole(id)
    },
  }
}
