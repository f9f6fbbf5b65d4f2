import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository's folder, ending with a slash. */
export const ROOT: string = fileURLToPath(new URL('../../', import.meta.url))

/** A file of ours, with the modules that it imports as they are written. */
export interface Source {
  /** The path from the repository's folder: `packages/lapidary/src/index.ts`. */
  readonly path: string
  readonly text: string
  readonly imports: readonly string[]
}

const IMPORT = /^\s*(?:import|export)\b[^'"]*?\bfrom\s+'([^']+)'|^\s*import\s+'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/gm

/** Reads the sources in a folder, or the file itself, without what is built, installed or temporary. */
export function sources(places: readonly string[], extension: RegExp = CODE): Source[] {
  return places
    .flatMap((place) => (statSync(join(ROOT, place)).isFile() ? [place] : filesIn(place)))
    .filter((path) => extension.test(path) && !path.includes('.tmp.'))
    .sort()
    .map((path) => {
      const text = readFileSync(join(ROOT, path), 'utf8')
      const imports = [...text.matchAll(IMPORT)].map((match) => match[1] ?? match[2] ?? match[3] ?? '')
      return { path, text, imports }
    })
}

const CODE = /\.(ts|tsx|mts|js|mjs)$/

function filesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter(({ name }) => !/^(node_modules|dist|\..*)$/.test(name))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? filesIn(path) : [path]
    })
}

/** Returns the path that a relative import leads to. */
export function target(source: Source, specifier: string): string {
  return normalize(join(dirname(source.path), specifier))
}

export const isTest = ({ path }: Source): boolean => /\.test\.tsx?$/.test(path)
