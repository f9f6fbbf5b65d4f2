import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Hono } from 'hono'

/** The folder beside the sources and beside what is built of them. */
const FOLDER = new URL('../../assets/', import.meta.url)

const STYLE_SHEETS = ['tokens', 'base', 'header', 'browse', 'table', 'plan', 'item', 'operate', 'screens'] as const

interface Asset {
  readonly content: string
  readonly type: string
}

const read = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8')

const assets: ReadonlyMap<string, Asset> = new Map<string, Asset>([
  [
    'studio.css',
    { content: STYLE_SHEETS.map((name) => read(`${name}.css`)).join('\n'), type: 'text/css; charset=utf-8' },
  ],
  ['studio.js', { content: read('studio.js'), type: 'text/javascript; charset=utf-8' }],
  ['gem.svg', { content: read('gem.svg'), type: 'image/svg+xml' }],
])

const version = [...assets.values()]
  .reduce((hash, { content }) => hash.update(content), createHash('sha256'))
  .digest('base64url')
  .slice(0, 12)

/** Returns the address of an asset; it changes with their content, so browsers may keep it. */
export function assetPath(name: string): string {
  return `/assets/${version}/${name}`
}

/** Serves the assets. They tell nothing of a database, so they need no session. */
export function assetRoutes(): Hono {
  const routes = new Hono()
  routes.get('/assets/:version/:name', (context) => {
    const asset = assets.get(context.req.param('name'))
    if (asset === undefined) return context.notFound()
    return context.body(asset.content, 200, {
      'Content-Type': asset.type,
      'Cache-Control': 'public, max-age=31536000, immutable',
    })
  })
  return routes
}
