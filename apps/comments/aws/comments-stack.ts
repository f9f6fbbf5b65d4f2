import { fileURLToPath } from 'node:url'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { CfnOutput, Duration, Stack } from 'aws-cdk-lib'
import { TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb'
import { Rule, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import { Architecture, FunctionUrlAuthType, Runtime, StartingPosition } from 'aws-cdk-lib/aws-lambda'
import { DynamoEventSource } from 'aws-cdk-lib/aws-lambda-event-sources'
import { NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs'
import { Secret } from 'aws-cdk-lib/aws-secretsmanager'
import { Trigger } from 'aws-cdk-lib/triggers'
import { comments } from 'comments/comment'
import type { Construct } from 'constructs'
import { createLapidary } from 'lapidary'
import { addTable } from './table.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const APP = fileURLToPath(new URL('../', import.meta.url))

/** The actions that each function calls, and no more: docs/iam.md. */
const READ = ['Query', 'GetItem', 'BatchGetItem']
const WRITE = ['PutItem', 'UpdateItem', 'DeleteItem']
const PROJECT = [...READ, ...WRITE, 'ConditionCheckItem', 'DescribeTable']
const PREPARE = [...PROJECT, 'Scan']

/** The comments application on AWS: a table, a function that answers HTTP, and one that keeps counts and page numbers. */
export class CommentsStack extends Stack {
  constructor(scope: Construct, id: string) {
    super(scope, id)
    const table = addTable(this)
    const secret = { CURSOR_SECRET: this.secret('CursorSecret') }

    const token = { ADMIN_TOKEN: this.secret('AdminToken') }
    const http = this.function('http', table, { ...secret, ...token, ASSETS_FOLDER: './assets/' })
    allow(http, table, [...READ, ...WRITE])
    const { url } = http.addFunctionUrl({ authType: FunctionUrlAuthType.NONE })
    new CfnOutput(this, 'Address', { value: url })

    const stream = this.function('stream', table, secret)
    allow(stream, table, PROJECT)
    stream.addEventSource(changesOf(table))
    // The stream forgets after 24 hours; what it forgets has to be counted anew.
    stream.metric('IteratorAge', { statistic: 'Maximum' }).createAlarm(this, 'CountsAreLate', {
      alarmDescription: 'Counts and page numbers are an hour behind the table',
      threshold: Duration.hours(1).toMilliseconds(),
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    })

    const catchUp = this.function('catch-up', table, secret)
    allow(catchUp, table, PROJECT)
    table.grantStreamRead(catchUp)
    // The stream forgets a shard some 20 hours after it closes.
    new Rule(this, 'EveryFewHours', {
      schedule: Schedule.rate(Duration.hours(4)),
      targets: [new LambdaFunction(catchUp)],
    })

    const prepare = this.function('prepare', table, secret)
    allow(prepare, table, PREPARE)
    table.grantStreamRead(prepare)
    new Trigger(this, 'Prepared', { handler: prepare, timeout: Duration.minutes(5), executeAfter: [stream] })
  }

  /** Makes a function of the application, in one file, with the assets of its pages beside it. */
  private function(name: string, table: TableV2, environment: Readonly<Record<string, string>>): NodejsFunction {
    return new NodejsFunction(this, name, {
      entry: `${APP}src/lambda/${name}.ts`,
      ...{ projectRoot: ROOT, depsLockFilePath: `${ROOT}package-lock.json` },
      ...{ runtime: Runtime.NODEJS_22_X, architecture: Architecture.ARM_64 },
      ...{ memorySize: 1024, timeout: Duration.minutes(name === 'http' ? 0.5 : 5) },
      environment: { TABLE_NAME: table.tableName, NODE_OPTIONS: '--enable-source-maps', ...environment },
      bundling: {
        ...{ format: OutputFormat.ESM, target: 'node22', minify: true, sourceMap: true },
        // The runtime has another version of the SDK, which is slower to load than a part of the bundle.
        bundleAwsSDK: true,
        mainFields: ['module', 'main'],
        // Packages in CommonJS ask for Node's own modules by `require`.
        banner: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
        commandHooks: {
          beforeBundling: () => [],
          beforeInstall: () => [],
          afterBundling: (_, outputFolder) =>
            name === 'http' ? [`cp -r "${APP}src/web/assets" "${outputFolder}/assets"`] : [],
        },
      },
    })
  }

  /** A secret that AWS draws, and that CloudFormation gives the functions. */
  private secret(name: string): string {
    const generateSecretString = { passwordLength: 32, excludePunctuation: true }
    return new Secret(this, name, { generateSecretString }).secretValue.unsafeUnwrap()
  }
}

function allow(to: NodejsFunction, table: TableV2, actions: readonly string[]): void {
  table.grant(to, ...actions.map((action) => `dynamodb:${action}`))
}

/** Configures the stream's events as docs/change-stream.md has them, without the settings that are AWS's defaults. */
function changesOf(table: TableV2): DynamoEventSource {
  const { stream } = createLapidary({
    client: new DynamoDBClient({}),
    tableName: table.tableName,
    collections: { comments },
    cursorSecret: 'this program reads no page',
  })
  return new DynamoEventSource(table, {
    startingPosition: StartingPosition.TRIM_HORIZON,
    tumblingWindow: Duration.minutes(15),
    reportBatchItemFailures: true,
    parallelizationFactor: 1,
    batchSize: 1000,
    maxBatchingWindow: Duration.seconds(1),
    filters: stream.filterPatterns().map((pattern) => ({ pattern })),
  })
}
