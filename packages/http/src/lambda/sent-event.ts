import type { LambdaEvent } from 'hono/aws-lambda'
import type { Bindings } from '../request-target.ts'

/**
 * Returns what an HTTP server reads from the request line and the socket: the target as it was sent, and the address that the request came from.
 *
 * @param search The query of the request, with its `?`.
 */
export function bindingsOf(event: LambdaEvent, search: string): Bindings {
  return { incoming: { url: `${targetOf(event)}${search}`, socket: { remoteAddress: addressIn(event) } } }
}

/** Returns the path. API Gateway decodes it, so that it may hold what no request line can; a `%` that was sent stays as it is. */
function targetOf(event: LambdaEvent): string {
  const path = 'rawPath' in event ? event.rawPath : event.path
  return path.replace(/[^\x21-\x7e]+|[?#]/g, (part) => (/[?#]/.test(part) ? `%${hex(part)}` : encodeURIComponent(part)))
}

function hex(character: string): string {
  return character.charCodeAt(0).toString(16).toUpperCase()
}

function addressIn(event: LambdaEvent): string | undefined {
  const { requestContext } = event
  if ('http' in requestContext) return requestContext.http.sourceIp
  if ('identity' in requestContext && 'sourceIp' in requestContext.identity) return requestContext.identity.sourceIp
  // A load balancer adds the address that it was asked from at the end; what stands before it was sent by the client.
  return headerOf(event, 'x-forwarded-for')?.split(',').at(-1)?.trim()
}

function headerOf({ headers, multiValueHeaders }: LambdaEvent & { multiValueHeaders?: unknown }, name: string) {
  const several = (multiValueHeaders as Readonly<Record<string, readonly string[]>> | undefined)?.[name]
  const value = several?.at(-1) ?? headers?.[name]
  return typeof value === 'string' ? value : undefined
}
