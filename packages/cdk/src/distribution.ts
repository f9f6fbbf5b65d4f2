import { Duration, RemovalPolicy } from 'aws-cdk-lib'
import {
  AllowedMethods,
  CacheCookieBehavior,
  CacheHeaderBehavior,
  CachePolicy,
  CacheQueryStringBehavior,
  Function as CloudFrontFunction,
  Distribution,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  HeadersFrameOption,
  HeadersReferrerPolicy,
  HttpVersion,
  LambdaEdgeEventType,
  OriginRequestPolicy,
  ResponseHeadersPolicy,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront'
import { FunctionUrlOrigin } from 'aws-cdk-lib/aws-cloudfront-origins'
import type { IFunctionUrl } from 'aws-cdk-lib/aws-lambda'
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3'
import type { Construct } from 'constructs'
import { accept } from './accepted.ts'
import type { ApiProps } from './api-props.ts'
import { VIEWER_REQUEST } from './edge/viewer-request.ts'
import type { LapidaryEdge } from './edge.ts'

/** What answers depend on beside their address; a cache must not give one viewer's answer to another. */
const ANSWERS_DEPEND_ON = ['accept', 'accept-language', 'x-viewer-authorization', 'x-viewer-host', 'lapidary-written']

/** Adds the distribution before a function URL, which takes requests of it alone. */
export function addDistribution(
  scope: Construct,
  { url, edge, props }: { readonly url: IFunctionUrl; readonly edge: LapidaryEdge; readonly props: ApiProps },
): Distribution {
  const { domainNames, certificate } = props
  const distribution = new Distribution(scope, 'Distribution', {
    ...{ webAclId: edge.webAclArn, httpVersion: HttpVersion.HTTP2_AND_3 },
    ...{ enableLogging: true, logBucket: addLogBucket(scope), logIncludesCookies: false },
    ...(domainNames === undefined
      ? {}
      : { domainNames: [...domainNames], certificate, minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021 }),
    defaultBehavior: {
      origin: FunctionUrlOrigin.withOriginAccessControl(url),
      allowedMethods: AllowedMethods.ALLOW_ALL,
      viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
      // The function compresses; what an answer may be kept for is what its headers say.
      compress: false,
      cachePolicy: new CachePolicy(scope, 'CachePolicy', {
        ...{ minTtl: Duration.seconds(0), defaultTtl: Duration.seconds(0), maxTtl: Duration.days(365) },
        queryStringBehavior: CacheQueryStringBehavior.all(),
        headerBehavior: CacheHeaderBehavior.allowList(...ANSWERS_DEPEND_ON),
        cookieBehavior: CacheCookieBehavior.all(),
        ...{ enableAcceptEncodingBrotli: true, enableAcceptEncodingGzip: true },
      }),
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      responseHeadersPolicy: addHeaders(scope),
      functionAssociations: [
        {
          eventType: FunctionEventType.VIEWER_REQUEST,
          function: new CloudFrontFunction(scope, 'ViewerRequest', {
            code: FunctionCode.fromInline(VIEWER_REQUEST),
            runtime: FunctionRuntime.JS_2_0,
          }),
        },
      ],
      edgeLambdas: [
        { eventType: LambdaEdgeEventType.ORIGIN_REQUEST, functionVersion: edge.bodyHash, includeBody: true },
      ],
    },
  })
  acceptOfDistribution(distribution, domainNames !== undefined)
  return distribution
}

/** The application sets its own headers; that it is asked by HTTPS alone is the distribution's word. */
function addHeaders(scope: Construct): ResponseHeadersPolicy {
  return new ResponseHeadersPolicy(scope, 'Headers', {
    securityHeadersBehavior: {
      strictTransportSecurity: {
        ...{ accessControlMaxAge: Duration.days(365), includeSubdomains: false, override: false },
      },
      contentTypeOptions: { override: false },
      frameOptions: { frameOption: HeadersFrameOption.DENY, override: false },
      referrerPolicy: { referrerPolicy: HeadersReferrerPolicy.SAME_ORIGIN, override: false },
    },
  })
}

function addLogBucket(scope: Construct): Bucket {
  const bucket = new Bucket(scope, 'AccessLogs', {
    ...{ encryption: BucketEncryption.S3_MANAGED, enforceSSL: true, versioned: true },
    ...{ blockPublicAccess: BlockPublicAccess.BLOCK_ALL, removalPolicy: RemovalPolicy.RETAIN },
    // CloudFront delivers by an access control list.
    objectOwnership: ObjectOwnership.OBJECT_WRITER,
    lifecycleRules: [
      {
        ...{ expiration: Duration.days(90), noncurrentVersionExpiration: Duration.days(1) },
        abortIncompleteMultipartUploadAfter: Duration.days(1),
      },
    ],
  })
  const reason = 'it holds the logs of the distribution; a log of who reads them would need one, too'
  accept(bucket, { id: 'AwsSolutions-S1', reason }, { id: 'CKV_AWS_18', reason })
  return bucket
}

function acceptOfDistribution(distribution: Distribution, hasName: boolean): void {
  accept(
    distribution,
    { id: 'AwsSolutions-CFR1', reason: 'it is for readers in all countries; the firewall may refuse some' },
    { id: 'CKV_AWS_374', reason: 'it is for readers in all countries; the firewall may refuse some' },
    { id: 'CKV_AWS_310', reason: 'there is one origin; another region has a table of its own' },
    { id: 'CKV_AWS_305', reason: 'the application answers /, so no file is the default one' },
  )
  if (hasName) return
  const reason = 'CloudFront decides on TLS for its own names; domainNames and certificate make it 1.2'
  accept(distribution, { id: 'AwsSolutions-CFR4', reason }, { id: 'CKV_AWS_174', reason })
}
