import { cpSync, existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { AssetHashType, DockerImage } from 'aws-cdk-lib'
import { Code } from 'aws-cdk-lib/aws-lambda'
import { buildSync } from 'esbuild'
import { optionsFor } from './bundle-options.ts'

/** What a bundle is made of. */
export interface BundleOptions {
  /** The file that exports `handler`. */
  readonly file: string
  /** The file that `config-of-the-table` stands for. */
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

/** @throws {Error} for a file that does not exist. */
export function existing(what: string, path: string): string {
  const file = resolve(path)
  if (!existsSync(file)) throw new Error(`${what} is ${path}, which does not exist; name a file from ${process.cwd()}`)
  return file
}
