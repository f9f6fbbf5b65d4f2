import * as z from 'zod'
import type { Metrics } from './metrics.ts'
import type { AddRoute } from './routing.ts'

/** Adds `/metrics` for Prometheus. */
export function addMetricsRoute(addRoute: AddRoute, metrics: Metrics): void {
  addRoute(
    {
      method: 'get',
      path: '/metrics',
      operationId: 'metrics',
      summary: 'Figures for Prometheus',
      tag: 'Operation',
      answers: {
        200: {
          description: 'The text exposition format.',
          schema: z.string(),
          contentType: 'text/plain; version=0.0.4; charset=utf-8',
        },
      },
      problems: [],
      always: true,
    },
    async (context) => context.body(await metrics.scrape(), 200, { 'content-type': metrics.contentType }),
  )
}
