// Bundles the part of the playground that plans, from the packages' sources: worker.js for browsers, and the same as a module for tests.
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { playgroundExamples } from './examples.mjs'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))

/** The parts of Node that planning uses, as browsers have them. */
const SHIMS = ['crypto', 'util']

export async function buildPlayground() {
  mkdirSync(here('dist'), { recursive: true })
  const common = {
    ...{ bundle: true, minify: true, platform: 'browser', target: 'es2022', legalComments: 'none' },
    ...{ tsconfig: here('../tsconfig.json'), inject: [here('shims/buffer.js')], logLevel: 'warning' },
    metafile: true,
    // Modules that planning does not use are left out with what they import.
    external: ['node:*'],
    alias: Object.fromEntries(SHIMS.map((name) => [`node:${name}`, here(`shims/node-${name}.cjs`)])),
  }
  const built = await Promise.all([
    build({ ...common, entryPoints: [here('worker.ts')], format: 'iife', outfile: here('dist/worker.js') }),
    build({ ...common, entryPoints: [here('for-tests.ts')], format: 'esm', outfile: here('dist/for-tests.mjs') }),
  ])
  writeFileSync(here('dist/examples.json'), JSON.stringify(playgroundExamples()))
  for (const { metafile } of built) {
    const needed = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path))
    if (needed.length > 0)
      throw new Error(`the playground needs ${[...new Set(needed)].join(', ')}, which no browser has`)
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildPlayground()
