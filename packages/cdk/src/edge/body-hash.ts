import { createHash } from 'node:crypto'

/** The part of a request that CloudFront shows to a function at the edge, with its body. */
export interface OriginRequest {
  readonly headers: Record<string, { readonly key: string; readonly value: string }[]>
  readonly body?: { readonly data: string; readonly encoding: 'base64' | 'text'; readonly inputTruncated: boolean }
}

/** An answer of the edge itself. */
export interface EdgeAnswer {
  readonly status: string
  readonly statusDescription: string
}

/** Sets the hash of the body, which CloudFront signs with the rest; a body that the edge does not see as a whole is refused. */
export async function handler(event: {
  readonly Records: readonly { readonly cf: { readonly request: OriginRequest } }[]
}): Promise<OriginRequest | EdgeAnswer | undefined> {
  const request = event.Records[0]?.cf.request
  if (request?.body === undefined) return request
  const { data, encoding, inputTruncated } = request.body
  // The edge shows 1 MB; the API takes less anyway.
  if (inputTruncated) return { status: '413', statusDescription: 'Content Too Large' }
  const body = Buffer.from(data, encoding === 'base64' ? 'base64' : 'utf8')
  const value = createHash('sha256').update(body).digest('hex')
  request.headers['x-amz-content-sha256'] = [{ key: 'x-amz-content-sha256', value }]
  return request
}
