/** The senders of events to a function that answers HTTP. */
export type EventKind = 'function-url' | 'http-api' | 'rest-api' | 'load-balancer' | 'load-balancer-several'

/** What a client sends. */
export interface SentRequest {
  readonly method?: string
  /** The path and the query, percent-encoded. */
  readonly target: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly isBase64Encoded?: boolean
}

/** Makes an event in the form that AWS documents and records for each sender, with what each decodes on the way. */
export function eventOf(
  kind: EventKind,
  { method = 'GET', target, headers = {}, body, isBase64Encoded = false }: SentRequest,
): unknown {
  const [path = '', query = ''] = target.split('?')
  const sent = { host: 'shop.example', 'content-type': 'application/json', ...headers }
  const payload = body === undefined ? null : isBase64Encoded ? Buffer.from(body).toString('base64') : body
  const rest = { body: payload, isBase64Encoded }
  const several = Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, [value]]))
  const decoded = [...new URLSearchParams(query)]
  if (kind === 'function-url' || kind === 'http-api') {
    const { cookie, ...others } = sent as Record<string, string>
    // An HTTP API gives the path decoded, and as `.` and `..` were resolved.
    const rawPath = kind === 'http-api' ? resolved(path) : path
    return {
      ...{ version: '2.0', routeKey: '$default', rawPath, rawQueryString: query, headers: others },
      ...(cookie === undefined ? {} : { cookies: cookie.split('; ') }),
      queryStringParameters: joined(decoded),
      requestContext: {
        ...{
          accountId: '123456789012',
          apiId: 'abc',
          domainName: 'shop.example',
          domainPrefix: 'shop',
          stage: '$default',
        },
        ...{ requestId: 'id', routeKey: '$default', time: '09/Nov/2020:12:00:00 +0000', timeEpoch: 1604923200000 },
        http: { method, path: rawPath, protocol: 'HTTP/1.1', sourceIp: '203.0.113.7', userAgent: 'curl/8' },
      },
      ...rest,
    }
  }
  if (kind === 'rest-api') {
    return {
      ...{ resource: '/{proxy+}', path: resolved(path), httpMethod: method, headers: sent, multiValueHeaders: several },
      queryStringParameters: decoded.length === 0 ? null : Object.fromEntries(decoded),
      multiValueQueryStringParameters: decoded.length === 0 ? null : grouped(decoded),
      ...{ pathParameters: { proxy: resolved(path).slice(1) }, stageVariables: null },
      requestContext: {
        ...{ accountId: '123456789012', apiId: 'abc', domainName: 'shop.example', stage: 'prod', httpMethod: method },
        ...{
          path: `/prod${path}`,
          protocol: 'HTTP/1.1',
          requestId: 'id',
          resourceId: 'xyz',
          resourcePath: '/{proxy+}',
        },
        identity: { sourceIp: '203.0.113.7', userAgent: 'curl/8', user: null, accountId: null },
      },
      ...rest,
    }
  }
  // A load balancer decodes nothing.
  const raw = query === '' ? [] : query.split('&').map((part) => part.split('=') as [string, string])
  const seen = { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-port': '443', 'x-forwarded-proto': 'https', ...sent }
  return {
    requestContext: {
      elb: { targetGroupArn: 'arn:aws:elasticloadbalancing:us-east-1:123456789012:targetgroup/shop/1' },
    },
    ...{ httpMethod: method, path },
    ...(kind === 'load-balancer'
      ? { queryStringParameters: Object.fromEntries(raw), headers: seen }
      : {
          multiValueQueryStringParameters: grouped(raw),
          multiValueHeaders: Object.fromEntries(Object.entries(seen).map(([name, value]) => [name, [value]])),
        }),
    ...rest,
  }
}

function resolved(path: string): string {
  return decodeURIComponent(new URL(path, 'http://shop.example').pathname)
}

function joined(pairs: readonly (readonly [string, string])[]): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(grouped(pairs)).map(([name, values]) => [name, values.join(',')]))
}

function grouped(pairs: readonly (readonly [string, string])[]): Readonly<Record<string, readonly string[]>> {
  const groups: Record<string, string[]> = {}
  for (const [name, value] of pairs) groups[name] = [...(groups[name] ?? []), value]
  return groups
}
