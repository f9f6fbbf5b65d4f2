import { pathToFileURL } from 'node:url'
import { runInNewContext } from 'node:vm'
import type { EdgeAnswer, OriginRequest } from '../src/edge/body-hash.ts'
import type { Synthesized } from './synthesized.ts'

/** What a viewer sends to the distribution. */
export interface Sent {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** Makes the event that a function URL gets of a request to the distribution. */
export type Viewer = (target: string, sent?: Sent) => Promise<unknown>

type CloudFrontHeaders = Record<string, { readonly value: string }>

/**
 * Returns what CloudFront does with a request of a viewer, by the code in the template: its function for viewer requests, the function at the edge,
 * and its signature in `Authorization`.
 */
export async function viewerOf(stack: Synthesized, edge: Synthesized = stack): Promise<Viewer> {
  const code: string = stack.all('AWS::CloudFront::Function')[0]?.Properties.FunctionCode
  const { bundle } = edge.function(Object.keys(edge.resources).find((id) => /EdgeBodyHash[0-9A-F]{8}$/.test(id)) ?? '')
  const { handler } = (await import(pathToFileURL(`${bundle}/index.mjs`).href)) as {
    readonly handler: (event: object) => Promise<OriginRequest & EdgeAnswer>
  }
  return async (target, { method = 'GET', headers = {}, body } = {}) => {
    const [rawPath = '', rawQueryString = ''] = target.split('?')
    const payload = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
    const sent = { host: 'comments.example', 'content-type': 'application/json', ...headers }
    const ofViewer: CloudFrontHeaders = Object.fromEntries(
      Object.entries(sent).map(([name, value]) => [name, { value }]),
    )
    const event = { viewer: { ip: '203.0.113.7' }, request: { method, uri: rawPath, headers: ofViewer } }
    const shown = runInNewContext(`${code}; handler(event)`, { event }) as { readonly headers: CloudFrontHeaders }
    const request: OriginRequest = {
      headers: Object.fromEntries(Object.entries(shown.headers).map(([key, { value }]) => [key, [{ key, value }]])),
      ...(payload === undefined
        ? {}
        : { body: { data: Buffer.from(payload).toString('base64'), encoding: 'base64', inputTruncated: false } }),
    }
    const asked = await handler({ Records: [{ cf: { request } }] })
    const atOrigin = Object.fromEntries(
      Object.entries(asked.headers).map(([key, [first]]) => [key, first?.value ?? '']),
    )
    return {
      ...{ version: '2.0', routeKey: '$default', rawPath, rawQueryString },
      headers: { ...atOrigin, host: 'abc.lambda-url.us-east-1.on.aws', authorization: 'AWS4-HMAC-SHA256 Credential=…' },
      requestContext: {
        domainName: 'abc.lambda-url.us-east-1.on.aws',
        // An address of CloudFront.
        http: { method, path: rawPath, sourceIp: '130.176.0.1' },
      },
      ...(payload === undefined ? {} : { body: payload }),
      isBase64Encoded: false,
    }
  }
}
