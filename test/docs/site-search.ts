import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { SEARCH } from '../../site/search.ts'

/** The search of a built site, as its search box asks it. */
export interface Search {
  /** The bytes of the index that a browser loads. */
  readonly bytes: number
  /** Returns the pages that are found, the first first. */
  pages(typed: string): readonly string[]
}

/** Opens the index that the site has, with the library and the options by which the site asks it. */
export async function openSearch(site: string): Promise<Search> {
  const chunks = join(site, 'assets', 'chunks')
  const file = readdirSync(chunks).find((name) => name.includes('localSearchIndex')) ?? 'no index'
  const { default: json } = (await import(/* @vite-ignore */ pathToFileURL(join(chunks, file)).href)) as {
    default: string
  }
  // The generator's own copy: the site has packages of its own.
  const library = createRequire(join(site, '..', 'package.json')).resolve('minisearch')
  const { default: MiniSearch } = (await import(/* @vite-ignore */ pathToFileURL(library).href)) as { default: Library }
  const index = MiniSearch.loadJSON(json, { ...SEARCH.options, searchOptions: SEARCH.searchOptions })
  return {
    bytes: readFileSync(join(chunks, file)).length,
    pages: (typed) => index.search(typed).map(({ id }) => id.replace(/^\/|(\.html)?(#.*)?$/g, '')),
  }
}

interface Library {
  loadJSON(json: string, options: object): { search(typed: string): readonly { readonly id: string }[] }
}
