import { PACKAGES } from '../architecture/packages.ts'
import { ROOT, type Source, sources } from '../architecture/sources.ts'

/** A block of TypeScript in the documentation. */
export interface Example {
  /** Its place: `README.md:30`. */
  readonly where: string
  readonly code: string
  /** Whether it runs, against the embedded engine: its block begins with "```ts run". */
  readonly runs: boolean
  /** The built module whose comment holds it. */
  readonly module: string | undefined
  /** Whether it stands by itself: it declares and imports every name that it uses, and so works when pasted. */
  readonly isWhole: boolean
}

export const PAGES: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  ...PACKAGES.map((name) => `packages/${name}/README.md`),
]

/** The first page of the site. */
export const FRONT_PAGE = 'site/front-page.md'

/** The page that declares the names that other examples use without declaring them. */
export const NAMES_PAGE = 'docs/examples.md'

/**
 * Finds the `@example` blocks of the library's comments, and the TypeScript blocks of README.md and docs/. In a README a block without imports
 * goes on where the one before it ended, so both are one example.
 */
export function findExamples(): Example[] {
  const inComments = sources(PACKAGES.map((name) => `packages/${name}/src`)).flatMap((source) =>
    blocks(source, /^ \* ?/gm, /@example[^@]*?```ts( run)?\n([\s\S]*?)```/g),
  )
  // The guides are pasted and run as a whole, with packages of their own: test/guides.
  const inPages = sources([...PAGES, FRONT_PAGE, 'docs'], /^(?!docs\/guides\/).*\.md$/).flatMap((source) =>
    blocks(source, /^$/g, /^```ts( run)?\n([\s\S]*?)^```$/gm),
  )
  return [...inComments, ...inPages].reduce<Example[]>(continued, [])
}

function continued(examples: Example[], example: Example): Example[] {
  const last = examples.at(-1)
  if (!example.isWhole || /^import /m.test(example.code) || last === undefined) return [...examples, example]
  return [...examples.slice(0, -1), { ...last, code: `${last.code}\n${example.code}` }]
}

/** Tells whether a page's examples are pasted by a newcomer. */
function isRead(path: string): boolean {
  return PAGES.includes(path) || path === NAMES_PAGE || path === 'docs/recipes.md'
}

function blocks(source: Source, margin: RegExp, pattern: RegExp): Example[] {
  const built = `${ROOT}${source.path}`.replace('/src/', '/dist/').replace(/\.ts$/, '.js')
  const text = source.text.replace(/^( {2})+(?= \*)/gm, '').replace(margin, '')
  return [...text.matchAll(pattern)].map((match) => ({
    where: `${source.path}:${text.slice(0, match.index).split('\n').length}`,
    runs: match[1] !== undefined,
    code: (match[2] ?? '')
      .replaceAll(" from './comments.ts'", " from './apps/comments/src/comment.ts'")
      .replaceAll(" from './", ` from '${ROOT}`),
    module: source.path.endsWith('.md') ? undefined : built,
    isWhole: isRead(source.path),
  }))
}

/** Writes an example as a module: its imports, those that it leaves to the reader, and the rest as the body of a function. */
export function exampleModule(
  { code, module, isWhole }: Example,
  entries: ReadonlyMap<string, readonly string[]>,
  own: readonly string[],
): string {
  const imports = [...code.matchAll(/^import [\s\S]*?from '[^']+'$/gm)].map(([statement]) => statement)
  const body = imports.reduce((rest, statement) => rest.replace(statement, ''), code)
  const known = new Set(own)
  const missing = [...(isWhole ? [] : entries)].map(([entry, names]) => {
    const used = names.filter(
      (name) => !known.has(name) && uses(body, name) && !imports.some((statement) => uses(statement, name)),
    )
    for (const name of used) known.add(name)
    return used.length === 0 ? '' : `import { ${used.join(', ')} } from '${entry}'`
  })
  const ownUsed = own.filter((name) => uses(body, name))
  const fromOwn =
    module === undefined || ownUsed.length === 0 ? '' : `import { ${ownUsed.join(', ')} } from '${module}'`
  const outside = [...imports, ...missing, fromOwn].filter((statement) => statement !== '')
  if (/^export /m.test(body)) return [...outside, body].join('\n')
  return [...outside, 'export async function example() {', body, '}'].join('\n')
}

/** Tells whether the code uses a name that it does not declare itself. */
export function uses(code: string, name: string): boolean {
  const declared = new RegExp(`\\b(const|let|function|class)\\s+${name}\\b`).test(code)
  return !declared && new RegExp(`(?<![\\w$']|(?<!\\.\\.)\\.)${name}\\b(?!')`).test(code)
}
