import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Hono } from 'hono'
import { namesTag, parseTagCondition } from 'lapidary-http/internal'
import { ASSETS_FOLDER } from './assets-folder.ts'
import { PRODUCT_PICTURES } from './product-pictures.ts'

const STYLE_SHEETS = [
  'tokens',
  'base',
  'header',
  'home',
  'product',
  'filters',
  'comments',
  'form',
  'plan',
  'plan-tree',
  'api',
  'screens',
  'forced-colours',
  'print',
] as const
/** The modules, each after those that it imports. */
const SCRIPTS = ['counts', 'filters', 'plan', 'post', 'reading', 'enhance'] as const

const CONTENT_TYPES = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
} as const

interface Asset {
  readonly content: string | Uint8Array<ArrayBuffer>
  readonly type: string
}

function read(name: string): string {
  return readFileSync(new URL(name, ASSETS_FOLDER), 'utf8')
}

/** Reads a module as a part of one that holds all of them: one request instead of six. No two modules declare the same name. */
function readModule(name: string): string {
  return read(`${name}.js`)
    .replace(/^import .*\n/gm, '')
    .replace(/^export /gm, '')
}

const assets: ReadonlyMap<string, Asset> = new Map<string, Asset>([
  ['style.css', { content: STYLE_SHEETS.map((name) => read(`${name}.css`)).join('\n'), type: CONTENT_TYPES.css }],
  ['enhance.js', { content: SCRIPTS.map(readModule).join('\n'), type: CONTENT_TYPES.js }],
  // Other sites show the card beside a link; most ask for 1200 by 630.
  ['card.png', { content: new Uint8Array(readFileSync(new URL('card.png', ASSETS_FOLDER))), type: CONTENT_TYPES.png }],
  ...['gem.svg'].map((name): [string, Asset] => [name, { content: read(name), type: CONTENT_TYPES.svg }]),
  ...[...PRODUCT_PICTURES].map(([name, content]): [string, Asset] => [name, { content, type: CONTENT_TYPES.svg }]),
])

/** One version for all assets, so that those that refer to each other always fit. */
const version = [...assets.values()]
  .reduce((hash, { content }) => hash.update(content).update('\0'), createHash('sha256'))
  .digest('base64url')
  .slice(0, 12)

/** Returns the address of an asset; it changes with the content of any of them, so browsers may keep it for ever. */
export function assetPath(name: string): string {
  return `/assets/${version}/${name}`
}

/** Serves `/assets/<version>/<name>`. A version from before an update gets the present content, uncached. */
export function assetRoutes(): Hono {
  const routes = new Hono()
  routes.get('/assets/:version/:name', (c) => {
    const asset = assets.get(c.req.param('name'))
    if (asset === undefined) return c.notFound()
    const current = c.req.param('version') === version
    const etag = `"${version}"`
    c.header('Cache-Control', current ? 'public, max-age=31536000, immutable' : 'no-cache')
    c.header('ETag', etag)
    c.header('X-Content-Type-Options', 'nosniff')
    if (namesTag(parseTagCondition('If-None-Match', c.req.header('If-None-Match')), etag)) return c.body(null, 304)
    return c.body(asset.content, 200, { 'Content-Type': asset.type })
  })
  return routes
}
