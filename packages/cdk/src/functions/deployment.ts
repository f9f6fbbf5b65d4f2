/** What CloudFormation asks of a custom resource. */
export interface DeploymentEvent {
  readonly RequestType: 'Create' | 'Update' | 'Delete'
  readonly ResponseURL: string
  readonly StackId: string
  readonly RequestId: string
  readonly LogicalResourceId: string
  readonly PhysicalResourceId?: string
}

export function isDeployment(event: unknown): event is DeploymentEvent {
  return typeof event === 'object' && event !== null && 'ResponseURL' in event && 'RequestType' in event
}

/** Does something in a deployment and tells CloudFormation how it ended; a failure there lets the deployment fail, and rolls it back. */
export async function answerDeployment(event: DeploymentEvent, run: () => Promise<void>): Promise<void> {
  const { StackId, RequestId, LogicalResourceId, RequestType, ResponseURL } = event
  const failure = RequestType === 'Delete' ? undefined : await run().then(() => undefined, reasonOf)
  const answer = {
    ...{ StackId, RequestId, LogicalResourceId, PhysicalResourceId: event.PhysicalResourceId ?? LogicalResourceId },
    ...(failure === undefined ? { Status: 'SUCCESS' } : { Status: 'FAILED', Reason: failure }),
  }
  // The address is signed without a content type.
  const { ok, status } = await fetch(ResponseURL, {
    method: 'PUT',
    headers: { 'content-type': '' },
    body: JSON.stringify(answer),
  })
  if (!ok) throw new Error(`CloudFormation did not take the answer: ${status}`)
  if (failure !== undefined) throw new Error(failure)
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}
