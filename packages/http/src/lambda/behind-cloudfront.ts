import type { Bindings } from '../request-target.ts'

/**
 * The headers in which CloudFront hands on what it replaces. It signs its requests in `Authorization` and asks by the name of the function URL; so a
 * function of CloudFront, in `lapidary-cdk`, moves what the viewer sent to these, and no viewer can set them.
 */
export const VIEWER_HEADERS = {
  authorization: 'x-viewer-authorization',
  host: 'x-viewer-host',
  address: 'x-viewer-address',
} as const

/** A request and what its server adds to it. */
export interface ViewerRequest {
  readonly request: Request
  readonly bindings: Bindings
}

/** Makes a request that came by CloudFront what the viewer has sent. */
export function asViewed({ request, bindings }: ViewerRequest): ViewerRequest {
  const headers = new Headers(request.headers)
  const authorization = taken(headers, VIEWER_HEADERS.authorization)
  const host = taken(headers, VIEWER_HEADERS.host)
  const remoteAddress = taken(headers, VIEWER_HEADERS.address)
  // What is there is CloudFront's own signature.
  headers.delete('authorization')
  if (authorization !== undefined) headers.set('authorization', authorization)
  if (host !== undefined) headers.set('host', host)
  const url = new URL(request.url)
  if (host !== undefined) url.host = host
  return {
    request: new Request(new Request(url, request), { headers }),
    bindings: { incoming: { url: bindings.incoming?.url, socket: { remoteAddress } } },
  }
}

function taken(headers: Headers, name: string): string | undefined {
  const value = headers.get(name) ?? undefined
  headers.delete(name)
  return value
}
