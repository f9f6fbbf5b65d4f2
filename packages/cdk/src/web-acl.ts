import { ArnFormat, Names, RemovalPolicy } from 'aws-cdk-lib'
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import { CfnLoggingConfiguration, CfnWebACL } from 'aws-cdk-lib/aws-wafv2'
import type { Construct } from 'constructs'
import { accept } from './accepted.ts'

/** Rules of AWS that look at what people write: a comment about `<script>`, or of 10 KB, is no attack on pages that escape it. */
const OF_BODIES = ['CrossSiteScripting_BODY', 'GenericLFI_BODY', 'GenericRFI_BODY', 'SizeRestrictions_BODY']

/** Adds a firewall for CloudFront: a limit for each address, and the rules that AWS keeps against known attacks. */
export function addWebAcl(scope: Construct, requestsOfAddress: number): CfnWebACL {
  const webAcl = new CfnWebACL(scope, 'WebAcl', {
    scope: 'CLOUDFRONT',
    defaultAction: { allow: {} },
    visibilityConfig: seen('WebAcl'),
    rules: [
      {
        ...{ name: 'RequestsOfAddress', priority: 0, action: { block: {} } },
        statement: { rateBasedStatement: { aggregateKeyType: 'IP', limit: requestsOfAddress } },
        visibilityConfig: seen('RequestsOfAddress'),
      },
      managed(1, 'AWSManagedRulesAmazonIpReputationList'),
      managed(2, 'AWSManagedRulesKnownBadInputsRuleSet'),
      managed(3, 'AWSManagedRulesCommonRuleSet', OF_BODIES),
    ],
  })
  const log = new LogGroup(scope, 'WebAclLog', {
    // The firewall writes to logs of this beginning alone.
    logGroupName: `aws-waf-logs-${Names.uniqueResourceName(scope, { maxLength: 60 })}`,
    ...{ retention: RetentionDays.ONE_YEAR, removalPolicy: RemovalPolicy.RETAIN },
  })
  accept(log, { id: 'CKV_AWS_158', reason: 'CloudWatch encrypts it; it holds no header that is secret' })
  new CfnLoggingConfiguration(scope, 'WebAclLogging', {
    resourceArn: webAcl.attrArn,
    logDestinationConfigs: [withoutEnd(log)],
    redactedFields: ['authorization', 'cookie'].map((Name) => ({ singleHeader: { Name } })),
  })
  return webAcl
}

function managed(priority: number, name: string, counted: readonly string[] = []): CfnWebACL.RuleProperty {
  return {
    ...{ name, priority, overrideAction: { none: {} }, visibilityConfig: seen(name) },
    statement: {
      managedRuleGroupStatement: {
        ...{ vendorName: 'AWS', name },
        ruleActionOverrides: counted.map((rule) => ({ name: rule, actionToUse: { count: {} } })),
      },
    },
  }
}

function seen(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { metricName, cloudWatchMetricsEnabled: true, sampledRequestsEnabled: true }
}

/** An ARN of a log ends with `:*`, which the firewall does not take. */
function withoutEnd(log: LogGroup): string {
  return log.stack.formatArn({
    ...{ service: 'logs', resource: 'log-group', resourceName: log.logGroupName },
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  })
}
