import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** A folder of programs that find the library as npm installs it. */
export interface ProgramFolder extends Disposable {
  readonly path: string
  /** Writes a program and returns its file. */
  write(name: string, code: string): string
  /**
   * Bundles a program as for a function, and returns the file to import.
   *
   * @param splitting Whether what is loaded late is in files of its own.
   */
  bundle(name: string, code: string, splitting: boolean): Promise<string>
}

/** Makes the folder, below the repository, so that the other packages are found. */
export function openProgramFolder(): ProgramFolder {
  const cache = fileURLToPath(new URL('../../.cache', import.meta.url))
  mkdirSync(cache, { recursive: true })
  const path = mkdtempSync(join(cache, 'programs-'))
  publish(path)
  const write = (name: string, code: string): string => {
    const file = join(path, `${name}.mjs`)
    writeFileSync(file, code)
    return file
  }
  return {
    ...{ path, write },
    async bundle(name, code, splitting) {
      const outdir = join(path, splitting ? 'split' : 'bundled', name)
      await build({
        ...{ entryPoints: [write(name, code)], outdir, outExtension: { '.js': '.mjs' }, splitting },
        ...{ bundle: true, minify: true, platform: 'node', format: 'esm', target: 'node20' },
        ...{ mainFields: ['module', 'main'], logLevel: 'warning' },
        // Packages in CommonJS ask for Node's own modules by `require`.
        banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
      })
      return join(outdir, `${name}.mjs`)
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true }),
  }
}

/** Puts the library where the programs find it, in the files that are published. */
function publish(folder: string): void {
  const own = join(folder, 'node_modules/lapidary')
  for (const part of ['package.json', 'dist', 'scripts']) {
    cpSync(fileURLToPath(new URL(`../../packages/lapidary/${part}`, import.meta.url)), join(own, part), {
      recursive: true,
    })
  }
  const { status, stderr } = spawnSync(process.execPath, [join(own, 'scripts/few-files.mjs')], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`lapidary was not put into few files: ${stderr}`)
}

/** The time that a program took in a fresh process. */
export interface ProgramTime {
  /** Milliseconds. */
  readonly wall: number
  /** The same of the processor, of all threads. */
  readonly processor: number
}

/**
 * Times the import of a module in a fresh process.
 *
 * @param then What is measured with the import, a body of an async function that finds the module as `program`.
 */
export function timeOfImport(url: string, then = '', env: Readonly<Record<string, string>> = {}): ProgramTime {
  const code = `const before = process.cpuUsage()
const startedAt = performance.now()
const program = await import(${JSON.stringify(url)})
${then}
const wall = performance.now() - startedAt
const { user, system } = process.cpuUsage(before)
console.log(JSON.stringify({ wall, processor: (user + system) / 1000 }))
process.exit(0)`
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
    encoding: 'utf8',
    env: { ...process.env, NODE_NO_WARNINGS: '1', AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true', ...env },
  })
  if (status !== 0) throw new Error(`${url} could not be run: ${stderr}`)
  return JSON.parse(stdout) as ProgramTime
}
