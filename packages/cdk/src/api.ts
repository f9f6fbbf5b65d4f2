import { CfnOutput, Duration, RemovalPolicy } from 'aws-cdk-lib'
import type { Distribution } from 'aws-cdk-lib/aws-cloudfront'
import type { Dashboard, Metric } from 'aws-cdk-lib/aws-cloudwatch'
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { FunctionUrlAuthType, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import { type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import { Construct } from 'constructs'
import { accept } from './accepted.ts'
import { addFunction } from './added-function.ts'
import { alarmsTo } from './alarms.ts'
import type { ApiProps } from './api-props.ts'
import { graph, runsOf } from './dashboard.ts'
import { addDistribution } from './distribution.ts'
import { LapidaryEdge } from './edge.ts'
import { grantKey } from './keys.ts'
import type { TableRights } from './rights.ts'
import type { LapidaryTableProps } from './table-props.ts'

/** The table that an API is of. */
export interface ApiOf {
  readonly table: ITableV2
  readonly rights: TableRights
  readonly alarmTopic: ITopic
  readonly dashboard: Dashboard
  readonly of: LapidaryTableProps
}

const CONCURRENCY = 100

/**
 * An HTTP API behind CloudFront: a function that only the distribution may ask, a firewall, and secrets that are read at run time. `apiFor` of a
 * table makes it.
 *
 * @example
 * ```ts
 * import { CfnOutput } from 'aws-cdk-lib'
 *
 * const addApi = (table: LapidaryTable): LapidaryApi => {
 *   const api = table.apiFor('Api', { maxCapacity: 20 })
 *   new CfnOutput(table, 'AdminToken', { value: api.adminToken.secretArn })
 *   return api
 * }
 * ```
 */
export class LapidaryApi extends Construct {
  readonly function: LambdaFunction
  readonly distribution: Distribution
  readonly edge: LapidaryEdge
  /** The address: `https://….cloudfront.net`. */
  readonly url: string
  readonly cursorSecret: ISecret
  readonly adminToken: ISecret
  readonly writerToken: ISecret | undefined

  constructor(scope: Construct, id: string, props: ApiProps & ApiOf) {
    super(scope, id)
    const { table, of, secrets = {}, reservedConcurrency = CONCURRENCY, domainNames: [name] = [] } = props
    this.cursorSecret = secrets.cursor ?? this.secret('CursorSecret', 'Signs the cursors of pages', of)
    this.adminToken = secrets.admin ?? this.secret('AdminToken', 'The token of admins', of)
    this.writerToken =
      secrets.writer ??
      (props.writerToken === true ? this.secret('WriterToken', 'The token of writers', of) : undefined)
    const { cursorSecret, adminToken, writerToken } = this
    this.function = addFunction(
      this,
      'Function',
      {
        description: 'Answers HTTP, for the distribution alone',
        code: props.entry === undefined ? { own: 'api' } : { file: props.entry },
        ...{ timeout: Duration.seconds(30), memorySize: props.memorySize ?? 1024, assets: props.assets },
        reservedConcurrency: reservedConcurrency === 'unreserved' ? undefined : reservedConcurrency,
        environment: {
          ...{ TABLE_NAME: table.tableName, BEHIND_CLOUDFRONT: '1' },
          ...{ CURSOR_SECRET_ID: cursorSecret.secretArn, ADMIN_TOKEN_ID: adminToken.secretArn },
          ...(writerToken === undefined ? {} : { WRITER_TOKEN_ID: writerToken.secretArn }),
          ...(props.maxCapacity === undefined ? {} : { MAX_CAPACITY: String(props.maxCapacity) }),
          ...(name === undefined ? {} : { PUBLIC_URL: `https://${name}` }),
          ...props.environment,
        },
        rights: props.rights(props.writes === false ? 'reader' : 'application'),
      },
      of,
    )
    for (const secret of [cursorSecret, adminToken, writerToken]) if (secret !== undefined) this.mayRead(secret)
    grantKey(of.encryptionKey, this.function, props.writes === false ? 'read' : 'write')

    this.edge = props.edge ?? new LapidaryEdge(this, 'Edge', { requestsOfAddress: props.requestsOfAddress })
    const url = this.function.addFunctionUrl({ authType: FunctionUrlAuthType.AWS_IAM })
    this.distribution = addDistribution(this, { url, edge: this.edge, props })
    this.url = `https://${name ?? this.distribution.distributionDomainName}`
    new CfnOutput(this, 'Address', { value: this.url })
    this.watch(props)
  }

  /** Adds a secret that AWS draws, which stays when the stack goes. */
  private secret(id: string, description: string, { encryptionKey }: LapidaryTableProps): Secret {
    const made = new Secret(this, id, {
      ...{ description, encryptionKey, removalPolicy: RemovalPolicy.RETAIN },
      generateSecretString: { passwordLength: 40, excludePunctuation: true },
    })
    accept(made, {
      id: 'AwsSolutions-SMG4',
      reason:
        'who holds a token has to be told of a new one first; docs/deploy.md says how a secret is rotated without a deployment',
    })
    if (encryptionKey === undefined) {
      accept(made, {
        id: 'CKV_AWS_149',
        reason: 'Secrets Manager encrypts it; encryptionKey gives it a key of the account',
      })
    }
    return made
  }

  /** Lets the function read a secret's values, and ask nothing else of it. */
  private mayRead({ secretArn, encryptionKey }: ISecret): void {
    this.function.addToRolePolicy(
      new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [secretArn] }),
    )
    grantKey(encryptionKey, this.function, 'read')
  }

  private watch({ alarmTopic, dashboard }: ApiOf): void {
    const period = Duration.minutes(5)
    const ofUrl = (metricName: string, statistic: string): Metric =>
      this.function.metric(metricName, { statistic, period })
    const add = alarmsTo(alarmTopic)
    add(this, 'ServerErrors', {
      says: 'The API answers with 5xx: its log has each error under the instance that the client was told',
      ...{ metric: ofUrl('Url5xxCount', 'Sum'), above: 5, periods: 2 },
    })
    add(this, 'FunctionFails', {
      says: 'The function of the API fails or runs out of time',
      ...{ metric: this.function.metricErrors({ period }), above: 0, periods: 2 },
    })
    add(this, 'FunctionIsThrottled', {
      says: 'Requests are refused, since the reserved concurrency of the API is used up',
      ...{ metric: this.function.metricThrottles({ period }), above: 0, periods: 2 },
    })
    dashboard.addWidgets(
      graph('API', runsOf('api', this.function)),
      graph('API: milliseconds', [ofUrl('UrlRequestLatency', 'p50'), ofUrl('UrlRequestLatency', 'p99')]),
      graph('API: errors', [ofUrl('Url4xxCount', 'Sum'), ofUrl('Url5xxCount', 'Sum')]),
    )
  }
}
