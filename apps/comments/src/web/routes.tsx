import { Hono } from 'hono'
import type { WebServices, WebSettings } from './settings.ts'

/** The pages that people see: `/`, `/p/:productId`, its form, and `/assets/*`. Mount at the root. */
export function webRoutes(_services: WebServices, _settings: WebSettings): Hono {
  return new Hono()
}
