import { Duration, RemovalPolicy } from 'aws-cdk-lib'
import { type PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Architecture, type Code, Function as LambdaFunction, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda'
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { accept } from './accepted.ts'
import { bundle, existing } from './bundle.ts'
import { ownFile } from './bundle-options.ts'
import type { LapidaryTableProps } from './table-props.ts'

/** The settings of one function. */
export interface FunctionSettings {
  readonly description: string
  /** The file with its `handler`; one of this package, such as `stream`, is bundled with the configuration. */
  readonly code: { readonly own: 'stream' | 'upkeep' | 'api' } | { readonly file: string }
  readonly timeout: Duration
  readonly memorySize: number
  readonly reservedConcurrency: number | undefined
  readonly environment: Readonly<Record<string, string>>
  readonly rights: readonly PolicyStatement[]
  /** A folder that is put beside the bundle as `assets`. */
  readonly assets?: string
}

/** Adds a function in one file, with a role and a log of its own, and rights that are named. */
export function addFunction(
  scope: Construct,
  id: string,
  settings: FunctionSettings,
  props: LapidaryTableProps,
): LambdaFunction {
  const logGroup = new LogGroup(scope, `${id}Log`, {
    retention: props.logRetention ?? RetentionDays.ONE_YEAR,
    removalPolicy: RemovalPolicy.RETAIN,
    ...(props.encryptionKey === undefined ? {} : { encryptionKey: props.encryptionKey }),
  })
  const role = new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') })
  logGroup.grantWrite(role)
  for (const statement of settings.rights) role.addToPolicy(statement)
  const made = new LambdaFunction(scope, id, {
    code: codeOf(settings, props),
    ...{ handler: 'index.handler', runtime: Runtime.NODEJS_24_X, architecture: Architecture.ARM_64 },
    ...{ description: settings.description, role, logGroup },
    ...{ timeout: settings.timeout, memorySize: settings.memorySize },
    tracing: props.tracing === false ? Tracing.DISABLED : Tracing.ACTIVE,
    ...(settings.reservedConcurrency === undefined
      ? {}
      : { reservedConcurrentExecutions: settings.reservedConcurrency }),
    environment: { NODE_OPTIONS: '--enable-source-maps', ...props.environment, ...settings.environment },
  })
  acceptOfFunction(made, role, logGroup, props, settings)
  return made
}

function codeOf({ code, assets }: FunctionSettings, { entry }: LapidaryTableProps): Code {
  const config = existing('entry', entry)
  return bundle({
    file: 'own' in code ? ownFile(code.own) : existing('the entry of the API', code.file),
    config,
    assets,
  })
}

function acceptOfFunction(
  made: LambdaFunction,
  role: Role,
  logGroup: LogGroup,
  { encryptionKey, tracing }: LapidaryTableProps,
  { code, reservedConcurrency }: FunctionSettings,
): void {
  accept(
    made,
    {
      id: 'CKV_AWS_117',
      reason: 'it asks DynamoDB and Secrets Manager, by IAM; a network of its own would hide nothing',
    },
    { id: 'CKV_AWS_173', reason: 'no variable is secret: secrets are read from Secrets Manager at run time' },
  )
  if ('own' in code && code.own === 'stream') {
    accept(made, { id: 'CKV_AWS_116', reason: 'its event source mapping names a queue for what is discarded' })
  } else if (!('own' in code) || code.own === 'api') {
    accept(made, { id: 'CKV_AWS_116', reason: 'it is asked and answers at once; no event is left over' })
  }
  if (reservedConcurrency === undefined) {
    accept(made, { id: 'CKV_AWS_115', reason: 'the stack was told to reserve nothing' })
  }
  if (tracing === false) accept(made, { id: 'CKV_AWS_50', reason: 'the stack was told to trace nothing' })
  const wildcard = { id: 'AwsSolutions-IAM5[Resource::*]', reason: 'X-Ray and ListStreams have no resources to name' }
  accept(role, wildcard)
  if (encryptionKey !== undefined) {
    const reason = 'the CDK lets it write to the encrypted queue so: the actions are those of one key'
    for (const action of ['kms:ReEncrypt*', 'kms:GenerateDataKey*'])
      accept(role, { id: `AwsSolutions-IAM5[Action::${action}]`, reason })
  }
  if (encryptionKey === undefined) {
    accept(logGroup, {
      id: 'CKV_AWS_158',
      reason: 'CloudWatch encrypts it; encryptionKey gives it a key of the account',
    })
  }
}

/** A function's time for an event of the stream, and for the upkeep: as long as Lambda gives. */
export const LONG: Duration = Duration.minutes(15)
