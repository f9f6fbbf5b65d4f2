import { readFileSync } from 'node:fs'
import {
  ASSET_TYPES,
  type Asset,
  createStaticAssets,
  GEM,
  SHARED_STYLES,
  type StaticAssets,
} from 'lapidary-http/internal/pages'

/** The folder beside the sources and beside what is built of them. */
const FOLDER = new URL('../../assets/', import.meta.url)

const read = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8')
const sheet = (name: string): string => read(`${name}.css`)

const STYLE = [
  ...[SHARED_STYLES.tokens, sheet('tokens'), SHARED_STYLES.base, sheet('base')],
  ...['header', 'browse', 'table'].map(sheet),
  ...[SHARED_STYLES.plan, sheet('plan')],
  ...['item', 'operate', 'screens'].map(sheet),
].join('\n')

/** The files that the studio's pages load. They tell nothing of a database, so they need no session. */
export const ASSETS: StaticAssets = createStaticAssets(
  new Map<string, Asset>([
    ['studio.css', { content: STYLE, type: ASSET_TYPES.css }],
    ['studio.js', { content: read('studio.js'), type: ASSET_TYPES.js }],
    ['gem.svg', { content: GEM, type: ASSET_TYPES.svg }],
  ]),
)
