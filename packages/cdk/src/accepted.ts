import { CfnResource, Validations } from 'aws-cdk-lib'
import type { IConstruct } from 'constructs'

/** A rule of cdk-nag (`AwsSolutions-…`) or checkov (`CKV…`) that a resource breaks on purpose, and why. */
export interface AcceptedFinding {
  readonly id: string
  readonly reason: string
}

/** Notes findings at a resource, where cdk-nag and checkov read them: both report everything else. */
export function accept(construct: IConstruct, ...findings: readonly AcceptedFinding[]): void {
  const resource = CfnResource.isCfnResource(construct) ? construct : construct.node.defaultChild
  const byCheckov = findings.filter(({ id }) => id.startsWith('CKV'))
  for (const finding of findings) if (!byCheckov.includes(finding)) Validations.of(construct).acknowledge(finding)
  if (byCheckov.length === 0 || !CfnResource.isCfnResource(resource)) return
  const { skip = [] } = (resource.getMetadata('checkov') ?? {}) as { readonly skip?: readonly object[] }
  const noted = byCheckov.map(({ id, reason }) => ({ id, comment: reason }))
  resource.addMetadata('checkov', { skip: [...skip, ...noted] })
}
