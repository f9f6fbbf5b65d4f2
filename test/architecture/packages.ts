import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './sources.ts'

/** The folders below `packages`, each a package that is published. */
export const PACKAGES: readonly string[] = readdirSync(join(ROOT, 'packages')).toSorted()

/** The entry for Lapidary's own packages: its names are no part of what is promised. */
export const INTERNAL = 'lapidary/internal'

/** Tells whether an entry is for Lapidary's own packages and programs. */
export function isInternal(entry: string): boolean {
  return /\/internal(\/|$)/.test(entry)
}

/** Each entry of a workspace as it is imported, with the source that it is built from. */
export function entriesOf(workspace: string): readonly (readonly [entry: string, source: string])[] {
  const { name, exports } = JSON.parse(readFileSync(join(ROOT, workspace, 'package.json'), 'utf8')) as Manifest
  return Object.entries(exports).flatMap(([path, built]) => {
    if (typeof built === 'string') return []
    const source = `${workspace}/${built.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts')}`
    return [[`${name}${path.slice(1)}`, source] as const]
  })
}

interface Manifest {
  readonly name: string
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>
}
