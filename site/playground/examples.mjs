// Finds the examples of the playground: the programs in the documents and in examples/ that declare a collection. What the playground shows of them is
// cut from their own text: the declarations, and each list that they ask for.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { ROOT, sourcePages } from '../assemble.mjs'

/** The methods that ask for a list as `list` does. */
const LISTING = ['list', 'explain', 'plan', 'iterate']

/** @returns Examples with an id, a group, a title, a declaration, queries with titles, and the code that they were cut from. */
export function playgroundExamples() {
  const all = [...documents(), ...programs()]
  const inOrder = [
    ...all.filter(({ group }) => group !== 'Packages'),
    ...all.filter(({ group }) => group === 'Packages'),
  ]
  const found = inOrder.flatMap(({ group, title, code }) => {
    const cut = cutOut(code)
    return cut === undefined ? [] : [{ id: '', group, title, code, ...cut }]
  })
  const taken = new Map()
  return found.map((example) => {
    const slug = (example.group.startsWith('Programs') ? `program ${example.title}` : example.title)
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '')
    const count = (taken.get(slug) ?? 0) + 1
    taken.set(slug, count)
    return count === 1
      ? { ...example, id: `example-${slug}` }
      : { ...example, id: `example-${slug}-${count}`, title: `${example.title} (${count})` }
  })
}

/** Pages in the order in which the examples are shown. */
const FIRST = ['README.md', 'docs/recipes.md']

function documents() {
  const pages = sourcePages().filter((page) => !page.startsWith('docs/decisions/') && page !== 'CHANGELOG.md')
  const sorted = [...FIRST, ...pages.filter((page) => !FIRST.includes(page))]
  return sorted.flatMap((page) => {
    const text = readFileSync(join(ROOT, page), 'utf8')
    const [, name = page] = /^# (.*)$/m.exec(text) ?? []
    return [...text.matchAll(/^```ts\b[^\n]*\n([\s\S]*?)^```$/gm)].map(({ 1: code, index }) => {
      const heading = plain([...text.slice(0, index).matchAll(/^##+ (.*)$/gm)].at(-1)?.[1] ?? '')
      return { group: groupOf(page), title: titleIn(page, plain(name), heading), code }
    })
  })
}

function groupOf(page) {
  if (FIRST.includes(page)) return 'First steps and recipes'
  return page.startsWith('packages/') ? 'Packages' : page.startsWith('docs/guides/') ? 'Guides' : 'Documents'
}

function titleIn(page, name, heading) {
  if (FIRST.includes(page)) return heading
  return heading === '' || heading === name ? name : `${name}: ${heading}`
}

function programs() {
  const folder = join(ROOT, 'examples')
  const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'main.ts')))
  return names.map((name) => {
    const others = readdirSync(join(folder, name)).filter((file) => file.endsWith('.ts') && file !== 'main.ts')
    const code = [...others, 'main.ts'].map((file) => readFileSync(join(folder, name, file), 'utf8')).join('\n')
    return { group: 'Programs in examples/', title: name, code }
  })
}

const plain = (heading) => heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '')

/** Cuts declarations and queries out of a program; undefined where it declares no collection, or one of another program's table. */
function cutOut(code) {
  const file = ts.createSourceFile('program.ts', code, ts.ScriptTarget.Latest, true)
  const statements = file.statements.filter((each) => !ts.isImportDeclaration(each))
  const declaring = new Map(
    statements.flatMap((each) => namesOf(each).map((name) => [name, each])).filter(([name]) => !GIVEN.has(name)),
  )
  const declared = [...declaring].filter(([, each]) => callIn(each, 'defineCollection') !== undefined)
  if (declared.length === 0 || statements.some((each) => callIn(each, 'attach') !== undefined)) return undefined
  const collections = declared.map(([name]) => name)
  const created = statements.find((each) => callIn(each, 'createLapidary') !== undefined)
  const needed = new Set(declared.map(([, each]) => each))
  const need = (node) => {
    for (const name of usedIn(node)) {
      const statement = declaring.get(name)
      if (statement === undefined || statement === created || needed.has(statement)) continue
      needed.add(statement)
      need(statement)
    }
  }
  for (const [, statement] of declared) need(statement)
  const database = created === undefined ? 'lapidary' : namesOf(created)[0]
  const options =
    created === undefined ? openingOf(statements, collections) : optionsOf(callIn(created, 'createLapidary'))
  for (const node of options.nodes) need(node)
  const known = (node) => {
    const given = [database, ...innerNames(node)]
    return [...usedIn(node)].every((name) => isKnown(name, declaring, given))
  }
  if (![...needed].every(known)) return undefined
  const asked = queriesIn(file, collections).filter(({ node }) => known(node))
  for (const { node } of asked) need(node)
  const texts = statements
    .filter((each) => needed.has(each))
    .map((each) => code.slice(startOf(each, code), each.end).replace(/^export /gm, ''))
  const queries = asked.map(({ title, node }) => ({ title, text: dedented(node.getText(), code, node.getStart()) }))
  const everything = { title: 'All of one scope', text: `${database}.${collections[0]}.list({ scope: '42' })` }
  return {
    declaration: [...texts, `const ${database} = createLapidary({ ${options.text} })`].join('\n\n').trim(),
    queries: queries.length > 0 ? queries : [everything],
  }
}

/** Names that the playground has, and that a program gets from elsewhere. */
const GIVEN = new Set([
  ...[
    'anyOf',
    'createLapidary',
    'cursor',
    'client',
    'cursorSecret',
    'defineCollection',
    'deflated',
    'eachOf',
    'hierarchy',
    'indexes',
  ],
  ...[
    'lookup',
    'nativeKeys',
    'oneOf',
    'packed',
    'pageMarkers',
    'powerSet',
    'segments',
    'commentSchema',
    'orderSchema',
    'z',
  ],
])

/** Options of `createLapidary` that decide neither a table nor a plan. */
const BESIDE = ['client', 'cursorSecret', 'stream', 'observers', 'hooks', 'clock', 'random']

/** Whether a name is there in the playground: given, global, or declared without reading or waiting. */
function isKnown(name, declaring, given, above = []) {
  if (GIVEN.has(name) || given.includes(name) || above.includes(name)) return true
  const statement = declaring.get(name)
  if (statement === undefined) return name in globalThis
  if (/\bawait\b/.test(statement.getText())) return false
  const own = [...above, name, ...innerNames(statement)]
  return [...usedIn(statement)].every((used) => isKnown(used, declaring, given, own))
}

/** The names that functions and loops inside of code declare. */
function innerNames(node) {
  const names = []
  const visit = (each) => {
    if (
      (ts.isParameter(each) || ts.isVariableDeclaration(each) || ts.isBindingElement(each)) &&
      ts.isIdentifier(each.name)
    )
      names.push(each.name.text)
    ts.forEachChild(each, visit)
  }
  visit(node)
  return names
}

/** Takes the comments before a statement along, unless a blank line is between them. */
function startOf(statement, code) {
  const comments = ts.getLeadingCommentRanges(code, statement.pos) ?? []
  const own = comments.filter(({ end }) => !/\n\s*\n/.test(code.slice(end, statement.getStart())))
  const first = own.find(
    ({ pos }) => !/\n\s*\n/.test(code.slice(pos, statement.getStart()).replace(/\/\*[\s\S]*?\*\//g, '')),
  )
  return first === undefined || code.slice(first.pos).startsWith('/**') ? statement.getStart() : first.pos
}

function namesOf(statement) {
  if (!ts.isVariableStatement(statement)) return []
  return statement.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : []))
}

/** Returns the call of a function that a variable is declared with. */
function callIn(statement, name) {
  if (!ts.isVariableStatement(statement)) return undefined
  return statement.declarationList.declarations
    .map(({ initializer }) => initializer)
    .find((value) => value && ts.isCallExpression(value) && value.expression.getText() === name)
}

/** Returns the names that code reads: not those of properties. */
function usedIn(node) {
  const names = new Set()
  const visit = (each) => {
    if (ts.isTypeNode(each)) return
    if (ts.isIdentifier(each)) {
      const { parent } = each
      const isName =
        (ts.isPropertyAccessExpression(parent) && parent.name === each) ||
        (ts.isPropertyAssignment(parent) && parent.name === each)
      if (!isName) names.add(each.text)
    }
    ts.forEachChild(each, visit)
  }
  visit(node)
  return names
}

/** Returns what a call of createLapidary says of table and plans. */
function optionsOf(call) {
  const [given] = call.arguments
  if (!ts.isObjectLiteralExpression(given)) return { text: `...${given.getText()}`, nodes: [given] }
  const kept = given.properties.flatMap((property) => {
    const inner = ts.isSpreadAssignment(property) && ts.isObjectLiteralExpression(property.expression)
    return inner ? [...property.expression.properties] : [property]
  })
  const nodes = kept.filter((property) => !BESIDE.includes(property.name?.getText()))
  return { text: nodes.map((node) => node.getText()).join(', '), nodes }
}

/** Returns the same of the call by which the programs in examples/ open their database: `openExample({ orders }, { derived })`. */
function openingOf(statements, collections) {
  let call
  const visit = (node) => {
    if (ts.isCallExpression(node) && node.expression.getText() === 'openExample') call = node
    ts.forEachChild(node, visit)
  }
  for (const statement of statements) if (!ts.isFunctionDeclaration(statement)) visit(statement)
  const [named, given] = call?.arguments ?? []
  const properties =
    given === undefined ? [] : given.properties.filter((each) => !BESIDE.includes(each.name?.getText()))
  const texts = [
    `collections: ${named?.getText() ?? `{ ${collections.join(', ')} }`}`,
    ...properties.map((each) => each.getText()),
  ]
  return { text: texts.join(', '), nodes: properties }
}

/** Finds each list that is asked of a collection, with the sentence that it is shown under, where there is one. */
function queriesIn(file, collections) {
  const found = []
  const visit = (node, title) => {
    if (ts.isFunctionDeclaration(node)) return
    let told = title
    if (ts.isCallExpression(node)) {
      const [first] = node.arguments
      if (first !== undefined && ts.isStringLiteral(first)) told = first.text
      const { expression } = node
      const isList =
        ts.isPropertyAccessExpression(expression) &&
        LISTING.includes(expression.name.text) &&
        ts.isPropertyAccessExpression(expression.expression) &&
        ts.isIdentifier(expression.expression.expression) &&
        collections.includes(expression.expression.name.text) &&
        node.arguments.length === 1
      if (isList) found.push({ node, title: told ?? titleOf(node) })
    }
    ts.forEachChild(node, (each) => visit(each, told))
  }
  visit(file, undefined)
  const texts = found.map(({ node }) => node.getText())
  return found.filter((_, i) => texts.indexOf(texts[i]) === i)
}

function titleOf(node) {
  const text = node
    .getText()
    .replace(/\s+/g, ' ')
    .replace(/^\w+\./, '')
  return text.length > 90 ? `${text.slice(0, 88)}…` : text
}

/** Moves the further lines of a text as far to the left as its first. */
function dedented(text, code, start) {
  const margin = /^ */.exec(code.slice(code.lastIndexOf('\n', start) + 1))?.[0] ?? ''
  return text.replaceAll(`\n${margin}`, '\n')
}
