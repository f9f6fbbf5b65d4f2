import { readFileSync } from 'node:fs'
import {
  ASSET_TYPES,
  type Asset,
  createStaticAssets,
  GEM,
  SHARED_STYLES,
  type StaticAssets,
} from 'lapidary-http/internal/pages'
import { ASSETS_FOLDER } from './assets-folder.ts'
import { PRODUCT_PICTURES } from './product-pictures.ts'

const STYLE_SHEETS = [
  'tokens',
  'base',
  'header',
  'search',
  'home',
  'product',
  'filters',
  'comments',
  'votes',
  'photos',
  'trend',
  'form',
  'people',
  'plan',
  'plan-tree',
  'api',
  'screens',
  'forced-colours',
  'print',
] as const
/** The modules, each after those that it imports. */
const SCRIPTS = [
  'counts',
  'filters',
  'photos',
  'plan',
  'post',
  'reading',
  'search',
  'trend',
  'votes',
  'enhance',
] as const

function read(name: string): string {
  return readFileSync(new URL(name, ASSETS_FOLDER), 'utf8')
}

/** Reads a sheet, after what all of Lapidary's pages share of it. */
function withShared(name: string): readonly string[] {
  const own = read(`${name}.css`)
  return name in SHARED_STYLES ? [SHARED_STYLES[name as keyof typeof SHARED_STYLES], own] : [own]
}

/** Reads a module as a part of one that holds all of them: one request instead of eight. No two modules declare the same name. */
function readModule(name: string): string {
  return read(`${name}.js`)
    .replace(/^import .*\n/gm, '')
    .replace(/^export /gm, '')
    .replace(/^ *\/\*\*[\s\S]*?\*\/\n/gm, '')
    .replace(/^ *\/\/.*\n/gm, '')
}

/** Reads all sheets as one. Comments are for those who read the sources; readers of the pages would load them. */
function readStyles(): string {
  return STYLE_SHEETS.flatMap(withShared)
    .join('\n')
    .replace(/\/\*[\s\S]*?\*\/\n?/g, '')
}

const assets: ReadonlyMap<string, Asset> = new Map<string, Asset>([
  ['style.css', { content: readStyles(), type: ASSET_TYPES.css }],
  ['enhance.js', { content: SCRIPTS.map(readModule).join('\n'), type: ASSET_TYPES.js }],
  // Other sites show the card beside a link; most ask for 1200 by 630.
  ['card.png', { content: new Uint8Array(readFileSync(new URL('card.png', ASSETS_FOLDER))), type: ASSET_TYPES.png }],
  ['gem.svg', { content: GEM, type: ASSET_TYPES.svg }],
  ...[...PRODUCT_PICTURES].map(([name, content]): [string, Asset] => [name, { content, type: ASSET_TYPES.svg }]),
])

/** The files that the pages load. */
export const ASSETS: StaticAssets = createStaticAssets(assets)
