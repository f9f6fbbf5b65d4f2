import { Duration, RemovalPolicy, Stack, Token } from 'aws-cdk-lib'
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Architecture, type IVersion, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda'
import { Construct } from 'constructs'
import { accept } from './accepted.ts'
import { bundle } from './bundle.ts'
import { ownFile } from './bundle-options.ts'
import { addWebAcl } from './web-acl.ts'

/** The properties of {@link LapidaryEdge}. */
export interface EdgeProps {
  /** The requests of one address in five minutes, beyond which the firewall refuses it; 2000 when not given. */
  readonly requestsOfAddress?: number
  /** A firewall of your own for CloudFront, with a limit for each address; one is made when not given. */
  readonly webAclArn?: string
}

const REGION = 'us-east-1'

/**
 * What CloudFront takes from us-east-1 alone: a firewall, and a function at the edge that tells Lambda the hash of each body. A table in another
 * region has it in a stack beside its own, both with `crossRegionReferences`.
 *
 * @example
 * ```ts
 * import { App, Stack } from 'aws-cdk-lib'
 *
 * const env = { region: 'us-east-1', account: '123456789012' }
 * const edge = new LapidaryEdge(new Stack(new App(), 'ShopEdge', { env, crossRegionReferences: true }), 'Edge')
 * ```
 */
export class LapidaryEdge extends Construct {
  readonly webAclArn: string
  /** Lambda takes no request of CloudFront with a body whose hash is not signed, and CloudFront does not compute it. */
  readonly bodyHash: IVersion

  constructor(scope: Construct, id: string, { requestsOfAddress = 2000, webAclArn }: EdgeProps = {}) {
    super(scope, id)
    const { region } = Stack.of(this)
    if (region !== REGION) {
      const where = Token.isUnresolved(region) ? 'a stack whose region is not known' : region
      throw new Error(
        `CloudFront takes firewall and edge functions of ${REGION} alone, and this is in ${where}: give the stack env: { region }; from another region, make a LapidaryEdge in a stack of ${REGION} and give it as edge`,
      )
    }
    this.webAclArn = webAclArn ?? addWebAcl(this, requestsOfAddress).attrArn
    const role = new Role(this, 'BodyHashRole', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') })
    role.assumeRolePolicy?.addStatements(
      new PolicyStatement({
        ...{ actions: ['sts:AssumeRole'], principals: [new ServicePrincipal('edgelambda.amazonaws.com')] },
      }),
    )
    const made = new LambdaFunction(this, 'BodyHash', {
      description: 'Tells Lambda the hash of each body that CloudFront hands on',
      ...{ code: bundle({ file: ownFile('body-hash', 'edge') }), handler: 'index.handler' },
      // Functions at the edge have neither ARM nor variables nor tracing, and the origin waits at most 30 seconds for one.
      ...{ runtime: Runtime.NODEJS_24_X, architecture: Architecture.X86_64, role },
      ...{ memorySize: 128, timeout: Duration.seconds(5) },
    })
    // Copies of it stay at the edge for hours, and can't be removed with the stack.
    made.applyRemovalPolicy(RemovalPolicy.RETAIN)
    this.bodyHash = made.currentVersion
    const cannot = 'a function at the edge can have none'
    accept(
      made,
      { id: 'CKV_AWS_50', reason: cannot },
      { id: 'CKV_AWS_115', reason: cannot },
      { id: 'CKV_AWS_116', reason: 'it is asked and answers at once; no event is left over' },
      { id: 'CKV_AWS_117', reason: cannot },
    )
  }
}
