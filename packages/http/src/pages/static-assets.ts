import { createHash } from 'node:crypto'
import { Hono } from 'hono'
import { namesTag, parseTagCondition } from '../entity-tags.ts'

/** A file that pages load: a style sheet, a script, a picture. */
export interface Asset {
  readonly content: string | Uint8Array<ArrayBuffer>
  readonly type: string
}

/** The content types of assets by the ending of their names. */
export const ASSET_TYPES = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
} as const

/** The assets of an application's pages. */
export interface StaticAssets {
  /** Returns the address of an asset; it changes with the content of any of them, so browsers may keep it for ever. */
  path(name: string): string
  /** Makes the routes that serve `/assets/<version>/<name>`. A version from before an update gets the present content, uncached. */
  routes(): Hono
}

/** Makes the assets of some names. They have one version, so that those that refer to each other always fit. */
export function createStaticAssets(assets: ReadonlyMap<string, Asset>): StaticAssets {
  const version = [...assets.values()]
    .reduce((hash, { content }) => hash.update(content).update('\0'), createHash('sha256'))
    .digest('base64url')
    .slice(0, 12)
  return {
    path: (name) => `/assets/${version}/${name}`,
    routes() {
      const routes = new Hono()
      routes.get('/assets/:version/:name', (context) => {
        const { req } = context
        const asset = assets.get(req.param('name'))
        if (asset === undefined) return context.notFound()
        const isCurrent = req.param('version') === version
        const etag = `"${version}"`
        context.header('Cache-Control', isCurrent ? 'public, max-age=31536000, immutable' : 'no-cache')
        context.header('ETag', etag)
        context.header('X-Content-Type-Options', 'nosniff')
        if (namesTag(parseTagCondition('If-None-Match', req.header('If-None-Match')), etag))
          return context.body(null, 304)
        return context.body(asset.content, 200, { 'Content-Type': asset.type })
      })
      return routes
    },
  }
}
