import { readdirSync, readFileSync } from 'node:fs'

const ROOT = new URL('../', import.meta.url)

/** The page that declares the names that other examples use without declaring them. */
export const NAMES_PAGE = 'docs/examples.md'

/** What examples may use without declaring it. */
export interface Known {
  /** The statements of the page that declares the names of the examples, in their order. */
  readonly statements: readonly Statement[]
  /** The names that the page describes and does not declare. */
  readonly described: ReadonlySet<string>
  /** The module from which a name is imported. */
  readonly modules: ReadonlyMap<string, string>
}

interface Statement {
  readonly text: string
  /** Which of the page's paragraphs of code it belongs to. */
  readonly paragraph: number
  /** None if it is a step: something that is done with what was declared. */
  readonly declares: ReadonlySet<string>
  readonly uses: ReadonlySet<string>
  /** The first declared name that it uses, which a step follows. */
  readonly follows: string
}

/** A part of a whole program: the example's own text, or what completes it. */
export interface Part {
  readonly text: string
  readonly isOwn: boolean
}

/** Tells whether the examples of a document stand by themselves: a newcomer pastes them, and they declare and import every name that they use. */
export function standAlone(path: string): boolean {
  return /^(\w+\.md|packages\/\w+\/README\.md|docs\/(examples|recipes)\.md|docs\/guides\/.*)$/.test(path)
}

/**
 * Reads what examples may use without declaring it: from the page that declares the names of the examples, by a program and by a table that describes
 * further names, and from the lists of what the packages export. Of a name that several entries export, the first entry counts.
 */
export function readKnown(): Known {
  const page = readFileSync(new URL(NAMES_PAGE, ROOT), 'utf8')
  const packages = readdirSync(new URL('packages/', ROOT)).filter((name) => name !== 'lapidary')
  const readmes = ['lapidary', ...packages.toSorted()].map((name) =>
    readFileSync(new URL(`packages/${name}/README.md`, ROOT), 'utf8'),
  )
  const [, program = ''] = /^```ts run\n([\s\S]*?)^```$/m.exec(page) ?? []
  const { imported, body } = withoutImports(program)
  const all = declaredIn(body)
  const statements = body.split(/\n\n+/).flatMap((paragraphText, paragraph) =>
    statementsOf(paragraphText).map((text) => {
      const declares = /^(const|let|function|class|await using) /.test(text) ? declaredIn(text) : new Set<string>()
      const uses = usedIn(text)
      return { text: text.trimEnd(), paragraph, declares, uses, follows: [...uses].find((name) => all.has(name)) ?? '' }
    }),
  )
  const described = [...page.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, names = '']) => names.match(/\w+/g) ?? [])
  const exported = readmes.flatMap((readme) =>
    [...readme.matchAll(/<!-- exports:(\S+) -->\s*(\| value [\s\S]*?)\n\n/g)].flatMap(([, entry = '', list = '']) =>
      [...list.matchAll(/^\| `(\w+)`/gm)].map(([, name = '']) => [name, entry] as const),
    ),
  )
  return { statements, described: new Set(described), modules: new Map([...exported.toReversed(), ...imported]) }
}

/** Returns the program that an example is a part of; undefined where the example is whole, or uses a name that is only described. */
export function wholeProgram(code: string, known: Known): readonly Part[] | undefined {
  const used = usedIn(code)
  if ([...known.described].some((name) => used.has(name))) return undefined
  const parts = completed(code, known)
  return parts.every(({ isOwn }) => isOwn) ? undefined : parts
}

/** Completes an example: imports come first, then the declarations that it needs, then its own text. */
export function completed(code: string, known: Known): readonly Part[] {
  const { imports, imported, body } = withoutImports(code)
  const own = new Set([...declaredIn(body), ...[...imported.keys()].map((name) => name.replace(/^.* /, ''))])
  const needed = neededBy(body, own, known.statements)
  // Those that follow a declaration of the example's own.
  const steps = needed.filter(({ declares, follows }) => declares.size === 0 && own.has(follows))
  const given = needed.filter((statement) => !steps.includes(statement))
  const there = new Set([...own, ...given.flatMap(({ declares }) => [...declares])])
  const missing = [...usedIn(body), ...needed.flatMap(({ uses }) => [...uses])].filter(
    (name) => !there.has(name) && known.modules.has(name),
  )
  if (missing.length === 0 && needed.length === 0) return [{ text: code, isOwn: true }]
  const all = [...imported, ...missing.map((name) => [name, known.modules.get(name) ?? ''] as const)]
  const head = [importsOf(all, imports), paragraphsOf(given)].filter((text) => text !== '')
  return [{ text: `${head.join('\n\n')}\n\n`, isOwn: false }, ...withSteps(body, steps)]
}

/** Returns the text of a program. */
export function textOf(parts: readonly Part[]): string {
  return parts.map(({ text }) => text).join('')
}

/** Finds the statements that declare what an example needs, and the steps that these declarations need. */
function neededBy(body: string, own: ReadonlySet<string>, statements: readonly Statement[]): readonly Statement[] {
  const names = new Set([...usedIn(body)].filter((name) => !own.has(name)))
  // An example that takes a step itself takes all of them.
  const isStepped = statements.some(({ declares, text }) => declares.size === 0 && body.includes(text))
  const usedLater = new Set(statementsOf(body).flatMap((text) => [...usedIn(text)]))
  for (let count = -1; ; ) {
    const needed = statements.filter(({ declares, follows }) =>
      declares.size > 0
        ? [...declares].some((name) => names.has(name))
        : names.has(follows) || (own.has(follows) && usedLater.has(follows) && !isStepped),
    )
    if (needed.length === count) return needed
    count = needed.length
    for (const name of needed.flatMap(({ uses }) => [...uses])) if (!own.has(name)) names.add(name)
  }
}

/** Puts each step behind the example's own declaration that it follows. */
function withSteps(body: string, steps: readonly Statement[]): readonly Part[] {
  const parts: { text: string; isOwn: boolean }[] = []
  const add = (text: string, isOwn: boolean): void => {
    const last = parts.at(-1)
    if (last?.isOwn === isOwn) last.text += text
    else parts.push({ text, isOwn })
  }
  const statements = statementsOf(body)
  for (const [i, statement] of statements.entries()) {
    const declared = declaredIn(statement)
    const own = steps.filter(({ follows }) => declared.has(follows))
    add(own.length === 0 ? statement : `${statement.trimEnd()}\n`, true)
    for (const { text } of own) add(`${text}\n`, false)
    if (own.length > 0 && i < statements.length - 1) add('\n', true)
  }
  return parts
}

/** Writes imports: those of names by module, after those that are no list of names. */
function importsOf(names: readonly (readonly [name: string, module: string])[], others: readonly string[]): string {
  const modules = [...new Set(names.map(([, module]) => module))].toSorted()
  const lists = modules.map((module) => {
    const own = [...new Set(names.filter((each) => each[1] === module).map(([name]) => name))].toSorted()
    const line = `import { ${own.join(', ')} } from '${module}'`
    return line.length <= 100 ? line : `import {\n${own.map((name) => `  ${name},\n`).join('')}} from '${module}'`
  })
  return [...others, ...lists].join('\n')
}

function paragraphsOf(statements: readonly Statement[]): string {
  return statements.reduce((text, statement, i) => {
    const before = statements[i - 1]
    const space = before === undefined ? '' : before.paragraph === statement.paragraph ? '\n' : '\n\n'
    return `${text}${space}${statement.text}`
  }, '')
}

/** Parts code into its imports and the rest. Lists of names are in `imported`, by name; all other imports stay as they are, in `imports`. */
function withoutImports(code: string): { imports: string[]; imported: Map<string, string>; body: string } {
  const imports: string[] = []
  const imported = new Map<string, string>()
  const body = code.replace(/^import ([\s\S]*?) from '([^']+)'\n/gm, (statement, names: string, module: string) => {
    if (names.startsWith('{'))
      for (const name of names.replace(/[{}\s]+/g, ' ').split(','))
        if (name.trim() !== '') imported.set(name.trim(), module)
    if (!names.startsWith('{')) imports.push(statement.trimEnd())
    return ''
  })
  return { imports, imported, body: body.replace(/^\n+/, '') }
}

/** Cuts code into what begins at the margin. */
function statementsOf(code: string): readonly string[] {
  return code.split(/^(?=[^\s})\]])/m)
}

function declaredIn(code: string): ReadonlySet<string> {
  const single = [...code.matchAll(/\b(?:const|let|function\*?|class|await using) (\w+)/g)].map(([, name = '']) => name)
  const taken = [...code.matchAll(/\bconst [{[]([^=]*?)[}\]] =/g)].flatMap(([, names = '']) => [
    ...names.replace(/\w+: /g, '').matchAll(/\w+/g),
  ])
  return new Set([...single, ...taken.map(([name]) => name)])
}

/** Returns the parameters of arrow functions. */
function parametersIn(code: string): readonly string[] {
  return [...code.matchAll(/\(([^()]*)\) =>/g)].flatMap(([, names = '']) => names.match(/(?<!: )\b\w+/g) ?? [])
}

/** Returns the names that code reads and does not declare, in their order: those of variables, not of properties. */
export function usedIn(code: string): ReadonlySet<string> {
  const bare = code.replace(/\/\*[\s\S]*?\*\/|\/\/.*$|'(?:\\.|[^'\\\n])*'/gm, "''")
  const names = bare.matchAll(/(?<![\w$]|(?<!\.\.)\.)[A-Za-z_$][\w$]*(?![\w$])(?!\??:)/g)
  const declared = new Set([...declaredIn(bare), ...parametersIn(bare)])
  return new Set([...names].map(([name]) => name).filter((name) => !declared.has(name)))
}
