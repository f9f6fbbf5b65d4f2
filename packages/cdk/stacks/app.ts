import { App, Stack } from 'aws-cdk-lib'
import { LapidaryEdge } from '../src/index.ts'
import { CommentsStack } from './comments-stack.ts'

/** Reads the settings of a deployment: `npm run aws -- deploy -c stage=test -c writerToken=true`. */
const app = new App()
const setting = (name: string): string | undefined => app.node.tryGetContext(name)

const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env
const id = `Comments${setting('stage') ?? ''}`
const ofStack = { env: { account, region }, crossRegionReferences: region !== 'us-east-1' }
const edge =
  region === 'us-east-1'
    ? undefined
    : new LapidaryEdge(new Stack(app, `${id}Edge`, { ...ofStack, env: { account, region: 'us-east-1' } }), 'Edge')

new CommentsStack(app, id, {
  ...ofStack,
  edge,
  writerToken: setting('writerToken') === 'true',
  pageIndex: setting('pageIndex') as 'dynamodb' | undefined,
  moderation: setting('moderation') as 'show' | undefined,
  maxCapacity: setting('maxCapacity') === undefined ? undefined : Number(setting('maxCapacity')),
  alarmEmails: setting('alarmEmails')?.split(','),
})
