import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { PACKAGES } from '../architecture/packages.ts'
import { ROOT } from '../architecture/sources.ts'

const run = promisify(execFile)
/** Milliseconds after which a command that hangs is ended; a registry may be slow. */
const HANGS = 240_000

/** A package as it is published. */
export interface PackedPackage {
  readonly name: string
  readonly tarball: string
  readonly bytes: number
  /** The paths within it. */
  readonly files: readonly string[]
}

/** Builds packages where they were not built before, and packs them as they are published; all of them when not given. */
export async function packAll(packages: readonly string[] = PACKAGES): Promise<ReadonlyMap<string, PackedPackage>> {
  // The folder is in the repository's, so that the compiler finds what npm installed, and not under node_modules, which it would not build.
  await mkdir(join(ROOT, '.cache'), { recursive: true })
  const folder = await mkdtemp(join(ROOT, '.cache', 'pack-'))
  await cp(join(ROOT, 'tsconfig.base.json'), join(folder, 'tsconfig.base.json'))
  for (const name of packages) {
    const filter = (path: string): boolean => !/\/(dist|node_modules|test)$/.test(path)
    await cp(join(ROOT, 'packages', name), join(folder, 'packages', name), { recursive: true, filter })
    // One that is no workspace has packages of its own.
    const own = join(ROOT, 'packages', name, 'node_modules')
    if (existsSync(join(ROOT, 'packages', name, 'package-lock.json')))
      await symlink(own, join(folder, 'packages', name, 'node_modules'))
  }
  await runNode(folder, [TSC, '-b', ...packages.map((name) => `packages/${name}`), ...WITHOUT_MAPS])
  await runNode(folder, ['packages/lapidary/scripts/few-files.mjs'])
  const folders = packages.map((name) => `./packages/${name}`)
  const output = await npm(folder, ['pack', '--json', '--ignore-scripts', ...folders])
  const packed = JSON.parse(output) as readonly {
    readonly name: string
    readonly filename: string
    readonly size: number
    readonly files: readonly { readonly path: string }[]
  }[]
  return new Map(
    packed.map(({ name, filename, size, files }) => {
      return [name, { name, tarball: join(folder, filename), bytes: size, files: files.map(({ path }) => path) }]
    }),
  )
}

/** As `prepack` builds: maps would lead to sources that no tarball holds. */
const WITHOUT_MAPS = ['--sourceMap', 'false', '--declarationMap', 'false']
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')

/** A folder where packages are installed for a test, as a user would. */
export interface Installation {
  readonly folder: string
  /** Every installed package, once for each copy: `name@version`. */
  readonly copies: readonly string[]
}

/**
 * Installs packages from the registry and from tarballs, and nothing else from the repository.
 *
 * @param folder An empty folder outside the repository, so that its packages are not found.
 */
export async function install(folder: string, packages: readonly string[]): Promise<Installation> {
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  return installMore(folder, packages)
}

/** Installs more packages into a folder. */
export async function installMore(folder: string, packages: readonly string[]): Promise<Installation> {
  const quiet = ['--no-audit', '--no-fund', '--no-progress', '--ignore-scripts', '--prefer-offline']
  await npm(folder, ['install', '--save-exact', ...quiet, ...packages])
  const lock = JSON.parse(await readFile(join(folder, 'node_modules/.package-lock.json'), 'utf8')) as {
    readonly packages: Record<string, { readonly version: string }>
  }
  const copies = Object.entries(lock.packages).map(([path, { version }]) => {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    return `${name}@${version}`
  })
  return { folder, copies }
}

/** Compiles programs in a folder, with the libraries' own declarations; returns the compiler's messages. */
export async function compile(folder: string, files: readonly string[]): Promise<string> {
  const compilerOptions = {
    ...{ target: 'es2023', lib: ['es2023', 'esnext.disposable'], module: 'nodenext', types: ['node'], strict: true },
    ...{ noUncheckedIndexedAccess: true },
    ...{ rewriteRelativeImportExtensions: true, outDir: '.' },
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  try {
    await runNode(folder, [TSC, '-p', '.', '--pretty', 'false'])
    return ''
  } catch (error) {
    return String((error as { stdout?: unknown }).stdout || error)
  }
}

/** Runs a program with Node in a folder; returns its output. */
export async function runNode(
  folder: string,
  program: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const options = { cwd: folder, timeout: HANGS, env: { ...outside(), ...env } }
  return (await run(process.execPath, [...program], options)).stdout
}

/** Runs npm in a folder, as if this were no script of npm's. */
export async function npm(folder: string, options: readonly string[]): Promise<string> {
  const { stdout } = await run('npm', [...options], { cwd: folder, timeout: HANGS, env: outside(), maxBuffer: 1e7 })
  return stdout
}

/** Returns the environment without npm's variables about the script and the folder that it runs for. */
export function outside(): NodeJS.ProcessEnv {
  const own = /^(npm_(package|lifecycle)_|npm_config_local_prefix$|INIT_CWD$|NODE_V8_COVERAGE$|VITEST)/
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name)))
}
