import { App, Stack, Validations } from 'aws-cdk-lib'
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { AwsSolutionsChecks } from 'cdk-nag'
import { LapidaryEdge, LapidaryTable } from '../src/index.ts'
import { CommentsStack } from './comments-stack.ts'
import { OrdersStack } from './orders-stack.ts'
import { addTable } from './printed-table.ts'

/** Synthesizes, for the tests, what they name: `node --import tsx stacks/judged.ts comments orders`. */
const app = new App()
const env = { account: '123456789012', region: 'us-east-1' }
const existing = {
  tableArn: 'arn:aws:dynamodb:us-east-1:123456789012:table/comments-restored',
  streamArn: 'arn:aws:dynamodb:us-east-1:123456789012:table/comments-restored/stream/2026-11-09T12:00:00.123',
}
const STACKS: Readonly<Record<string, () => void>> = {
  comments: () => void new CommentsStack(app, 'Comments', { env }),
  second: () =>
    void new CommentsStack(app, 'CommentsTest', { env, writerToken: true, pageIndex: 'none', maxCapacity: 20 }),
  adopted: () => void new CommentsStack(app, 'CommentsRestored', { env, existing }),
  abroad() {
    const edgeStack = new Stack(app, 'CommentsAbroadEdge', { env, crossRegionReferences: true })
    const edge = new LapidaryEdge(edgeStack, 'Edge')
    const abroad = { ...env, region: 'eu-central-1' }
    new CommentsStack(app, 'CommentsAbroad', { env: abroad, crossRegionReferences: true, edge })
  },
  orders: () => void new OrdersStack(app, 'Orders', { env }),
  printed: () => void addTable(new Stack(app, 'Printed', { env })),
  // Of another region, without what lies in us-east-1.
  nowhere: () => void new CommentsStack(app, 'CommentsNowhere', { env: { ...env, region: 'eu-central-1' } }),
  missing() {
    const stack = new Stack(app, 'Missing', { env })
    new LapidaryTable(stack, 'Orders', { config: { collections: {} }, entry: 'orders.config.js' })
  },
  // What no judge may let pass.
  broken() {
    const role = new Role(new Stack(app, 'Broken', { env }), 'All', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    })
    role.addToPolicy(new PolicyStatement({ actions: ['dynamodb:*'], resources: ['*'] }))
  },
}
for (const name of process.argv.slice(2)) STACKS[name]?.()
Validations.of(app).addPlugins(new AwsSolutionsChecks(app))
app.synth()
