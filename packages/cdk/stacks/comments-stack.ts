import { fileURLToPath } from 'node:url'
import { Stack, type StackProps } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import config from '../../../apps/comments/src/lambda/functions.config.ts'
import { type ApiProps, LapidaryTable, type LapidaryTableProps } from '../src/index.ts'

const APP = fileURLToPath(new URL('../../../apps/comments/src/', import.meta.url))

/** What the stream's function forgets with a comment, whether it is in the lists or held as a case. */
const VOTE_KEYS = ['VOTES#*', 'VOTER#*']
/** What people do: the cases of moderators, who wrote what, and votes. */
const APPLICATION_KEYS = ['CASE#*', 'AUTHORSHIP#*', ...VOTE_KEYS]

/** The settings of the application, which are variables of the server, and what else differs from stage to stage. */
export interface CommentsProps
  extends StackProps,
    Pick<LapidaryTableProps, 'existing' | 'billing' | 'tracing' | 'alarmEmails' | 'encryptionKey'>,
    Pick<ApiProps, 'edge' | 'writerToken' | 'maxCapacity' | 'reservedConcurrency' | 'domainNames' | 'certificate'> {
  /** Where page numbers come from: `dynamodb` when not given, `page-markers` or `none`. */
  readonly pageIndex?: 'dynamodb' | 'page-markers' | 'none'
  /** Whether new comments of people show at once (`show`, when not given), or wait for a moderator. */
  readonly moderation?: 'show' | 'wait'
}

/** The comments application on AWS: its table, and its API and pages behind CloudFront. */
export class CommentsStack extends Stack {
  constructor(
    scope: Construct,
    id: string,
    { pageIndex = 'dynamodb', moderation = 'show', ...props }: CommentsProps = {},
  ) {
    super(scope, id, props)
    const table = new LapidaryTable(this, 'Comments', {
      ...{ config, entry: `${APP}lambda/functions.config.ts`, environment: { PAGE_INDEX: pageIndex } },
      ...{ applicationKeys: APPLICATION_KEYS, projectionKeys: VOTE_KEYS, followedKeys: ['CASE#'] },
      ...{ existing: props.existing, billing: props.billing, encryptionKey: props.encryptionKey },
      ...{ tracing: props.tracing, alarmEmails: props.alarmEmails, tags: props.tags },
    })
    table.apiFor('Site', {
      ...{ entry: `${APP}lambda/http.ts`, assets: `${APP}web/assets` },
      environment: { ASSETS_FOLDER: './assets/', MODERATION: moderation },
      ...{ edge: props.edge, writerToken: props.writerToken, maxCapacity: props.maxCapacity },
      ...{ reservedConcurrency: props.reservedConcurrency },
      ...{ domainNames: props.domainNames, certificate: props.certificate },
    })
  }
}
