import { Hono } from 'hono'
import { handle, type LambdaContext, type LambdaEvent } from 'hono/aws-lambda'
import { compress } from 'hono/compress'
import type { Bindings } from '../request-target.ts'
import { asViewed } from './behind-cloudfront.ts'
import { bindingsOf } from './sent-event.ts'

/** The options of {@link lambdaHandler}. */
export interface LambdaHandlerOptions {
  /**
   * Whether every request comes by the distribution that `lapidary-cdk` makes: the function takes the viewer's token, host and address from the
   * headers of that distribution. False when not given, since from anywhere else those headers are the client's own words.
   */
  readonly behindCloudFront?: boolean
}

/** An application of Hono, such as `lapidaryRoutes` makes. */
export interface LambdaApp {
  fetch(request: Request, bindings: Bindings): Response | Promise<Response>
}

/** A function for Lambda: takes an event, and returns the answer in the form that its sender reads. */
export type LambdaHandler = (event: unknown, context?: unknown) => Promise<unknown>

/**
 * Makes a Lambda function of an application. It answers events of function URLs and HTTP APIs (payload format 2.0), REST APIs (1.0) and
 * Application Load Balancers, and compresses where the client understands it. An API Gateway decodes the path, so that an id with a `/` can't be
 * asked for by way of one.
 *
 * @param open Returns the application; asked for each request, so that it may be made anew once a secret has changed.
 * @example
 * ```ts
 * const app = lapidaryRoutes(lapidary, { authorize: byTokens({ admin: 'the token of an admin' }) })
 * export const handler = lambdaHandler(() => app)
 * ```
 */
export function lambdaHandler(
  open: () => LambdaApp | Promise<LambdaApp>,
  { behindCloudFront = false }: LambdaHandlerOptions = {},
): LambdaHandler {
  const compressed = new Hono<{ Bindings: { readonly event: LambdaEvent; readonly lambdaContext?: LambdaContext } }>()
  compressed.use(compress())
  compressed.all('*', async ({ req, env }) => {
    const sent = {
      request: req.raw,
      bindings: { ...bindingsOf(env.event, new URL(req.url).search), requestId: env.lambdaContext?.awsRequestId },
    }
    const { request, bindings } = behindCloudFront ? asViewed(sent) : sent
    return (await open()).fetch(request, bindings)
  })
  return handle(compressed) as LambdaHandler
}
