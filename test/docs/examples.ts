import { completed, type Known, standAlone, textOf } from '../../site/whole-program.ts'
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
    isWhole: standAlone(source.path),
  }))
}

/** Writes an example as a program: as it is, or completed by what it may use, of which what its own module exports is a part. */
export function programOf({ code, module, isWhole }: Example, known: Known, own: readonly string[]): string {
  if (isWhole) return code
  const ofModule = own.map((name) => [name, module ?? ''] as const)
  return textOf(completed(code, { ...known, modules: new Map([...ofModule, ...known.modules]) }))
}
