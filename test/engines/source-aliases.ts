import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const WORKSPACES = ['packages/lapidary', 'packages/cli', 'packages/engine', 'packages/resp', 'apps/comments']
const root = new URL('../../', import.meta.url)

/** Returns each name that a workspace exports, with the source it is built from: tests run the files in `src`, not the last build. */
export function sourceAliases(): { readonly find: RegExp; readonly replacement: string }[] {
  return WORKSPACES.flatMap((workspace) => {
    const { name, exports } = JSON.parse(readFileSync(new URL(`${workspace}/package.json`, root), 'utf8')) as Package
    return Object.entries(exports).flatMap(([path, built]) => {
      if (typeof built === 'string') return []
      const source = `${workspace}/${built.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts')}`
      return { find: new RegExp(`^${name}${path.slice(1)}$`), replacement: fileURLToPath(new URL(source, root)) }
    })
  })
}

interface Package {
  readonly name: string
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>
}
