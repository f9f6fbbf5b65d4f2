import { fileURLToPath } from 'node:url'
import type { BuildOptions } from 'esbuild'

/** Returns how esbuild makes a bundle of a file. */
export function optionsFor(file: string, config?: string): BuildOptions {
  return {
    entryPoints: { index: file },
    ...{ bundle: true, splitting: true, minify: true, sourcemap: true, sourcesContent: false, logLevel: 'warning' },
    ...{ platform: 'node', format: 'esm', target: 'node24', mainFields: ['module', 'main'] },
    outExtension: { '.js': '.mjs' },
    alias: {
      ...(config === undefined ? {} : { 'config-of-the-table': config }),
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
