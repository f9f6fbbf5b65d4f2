import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

/**
 * Puts what the compiler made of each source into few files, in the same folder: a cold start reads and links every file by itself, and
 * of these `lapidary` needs two. What it loads later stays apart, and names stay as they are, so that a stack can be read.
 */
const root = fileURLToPath(new URL('../', import.meta.url))
const dist = join(root, 'dist')
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const entries = Object.values(exports).flatMap((entry) => entry.default ?? [])
/** The files that `lapidary/reader` imports, directly or not; and those that `lapidary` needs beyond them. */
const core = new Set()
const reading = new Set()

const bundle = await rolldown({
  cwd: root,
  input: Object.fromEntries(entries.map((path) => [path.replace(/^\.\/dist\/(.*)\.js$/, '$1'), join(root, path)])),
  platform: 'node',
  external: /^[^./]/,
  plugins: [
    {
      name: 'compiled sources',
      load: (path) => readFileSync(path, 'utf8'),
      buildEnd() {
        const visit = (path, needed) => {
          if (needed.has(path)) return
          needed.add(path)
          for (const imported of this.getModuleInfo(path)?.importedIds ?? []) visit(imported, needed)
        }
        visit(join(dist, 'read/index.js'), reading)
        visit(join(dist, 'index.js'), core)
      },
    },
  ],
  // Such as a module that is to be loaded late, and is also imported by what is needed at once.
  onLog: (level, log, handle) => handle(level === 'warn' ? 'error' : level, log),
})
const { output } = await bundle.generate({
  dir: dist,
  comments: false,
  minifyInternalExports: false,
  chunkFileNames: 'chunks/[name].js',
  codeSplitting: {
    groups: [
      { name: 'reading', test: (path) => reading.has(path), priority: 1 },
      { name: 'core', test: (path) => core.has(path) },
    ],
  },
})
await bundle.close()

const compiled = readdirSync(dist, { recursive: true }).filter((path) => /\.js$/.test(path))
// The next build makes all of them again.
for (const path of [...compiled, '.tsbuildinfo']) rmSync(join(dist, path), { force: true })
for (const { fileName, code } of output) {
  mkdirSync(dirname(join(dist, fileName)), { recursive: true })
  writeFileSync(join(dist, fileName), code)
}

// Declarations stay where an entry leads to them. Those that only Lapidary's own packages are led to lose their comments.
const declared = declarations(entries.filter((path) => !path.endsWith('/internal.js')))
const ofParts = declarations(entries)
for (const path of readdirSync(dist, { recursive: true }).filter((file) => file.endsWith('.d.ts'))) {
  const file = join(dist, path)
  if (!ofParts.has(file)) rmSync(file)
  else if (!declared.has(file)) writeFileSync(file, readFileSync(file, 'utf8').replace(/^ *\/\*\*[\s\S]*?\*\/\n/gm, ''))
}

/** The declarations of modules, and of all that these import. */
function declarations(paths) {
  const found = new Set()
  const visit = (file) => {
    if (found.has(file)) return
    found.add(file)
    for (const [, specifier] of readFileSync(file, 'utf8').matchAll(/(?:\bfrom |\bimport\()['"](\.[^'"]+)['"]/g)) {
      visit(normalize(join(dirname(file), specifier.replace(/\.[jt]s$/, '.d.ts'))))
    }
  }
  for (const path of paths) visit(join(root, path.replace(/\.js$/, '.d.ts')))
  return found
}

// No part of the package: which modules each file is made of.
const madeOf = output.map(({ fileName, moduleIds }) => [fileName, moduleIds.map((path) => relative(dist, path))])
writeFileSync(join(root, '.files.json'), JSON.stringify(Object.fromEntries(madeOf), null, 2))
