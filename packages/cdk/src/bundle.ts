import { cpSync, existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AssetHashType, DockerImage } from 'aws-cdk-lib'
import { Code } from 'aws-cdk-lib/aws-lambda'
import { type BuildOptions, buildSync } from 'esbuild'

/** What a bundle is made of. */
export interface BundleOptions {
  /** The file that exports `handler`. */
  readonly file: string
  /** The file that `lapidary-config` stands for. */
  readonly config?: string
  /** A folder that is put beside the bundle as `assets`. */
  readonly assets?: string | undefined
}

/**
 * Bundles a file with all that it imports. What is imported late stays in files of its own, so that a cold start reads only what it needs; the
 * bundler of the CDK makes one file.
 */
export function bundle({ file, config, assets }: BundleOptions): Code {
  const build = (outdir: string): boolean => {
    buildSync({ ...optionsFor(file, config), outdir })
    if (assets !== undefined) cpSync(resolve(assets), join(outdir, 'assets'), { recursive: true })
    return true
  }
  return Code.fromAsset(dirname(file), {
    assetHashType: AssetHashType.OUTPUT,
    // The command is never run. It tells the CDK, which keeps what it made of a folder, one bundle of this folder from another.
    bundling: {
      image: DockerImage.fromRegistry('none'),
      command: [file, config ?? '', assets ?? ''],
      local: { tryBundle: build },
    },
  })
}

function optionsFor(file: string, config: string | undefined): BuildOptions {
  return {
    entryPoints: { index: file },
    ...{ bundle: true, splitting: true, minify: true, sourcemap: true, sourcesContent: false, logLevel: 'warning' },
    ...{ platform: 'node', format: 'esm', target: 'node24', mainFields: ['module', 'main'] },
    outExtension: { '.js': '.mjs' },
    alias: {
      ...(config === undefined ? {} : { 'lapidary-config': config }),
      '@aws-sdk/credential-provider-node': ownFile('lambda-credentials'),
    },
    // Packages in CommonJS ask for Node's own modules by `require`.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  }
}

/** Returns a file of this package that goes into bundles; it has the kind of this one, built or not. */
export function ownFile(name: string, folder = 'functions'): string {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  return fileURLToPath(new URL(`./${folder}/${name}.${extension}`, import.meta.url))
}

/** @throws {Error} for a file that does not exist. */
export function existing(what: string, path: string): string {
  const file = resolve(path)
  if (!existsSync(file)) throw new Error(`${what} is ${path}, which does not exist; name a file from ${process.cwd()}`)
  return file
}
