import { parser } from '@lezer/javascript'

const typescript = parser.configure({ dialect: 'ts' })

/** Nodes that say nothing to JavaScript. */
const BLANK = new Set([
  'ImportDeclaration',
  'InterfaceDeclaration',
  'TypeAliasDeclaration',
  'TypeAnnotation',
  'TypeArgList',
  'TypeParamList',
])

/** Returns the code with spaces in place of its types, imports and `export`, so that each line and column stays where it is. */
export function withoutTypes(code: string): string {
  const blanks: (readonly [from: number, to: number])[] = []
  typescript.parse(code).iterate({
    enter({ name, from, to, node }) {
      if (BLANK.has(name)) {
        blanks.push([from, to])
        return false
      }
      // `value!`
      if (name === 'PostfixExpression' && node.lastChild?.name === 'LogicOp') blanks.push([node.lastChild.from, to])
      if (name === 'export') blanks.push([from, to])
      if (name === 'BinaryExpression') {
        const operator = node.firstChild?.nextSibling
        if (operator?.name === 'as' || operator?.name === 'satisfies') blanks.push([operator.from, to])
      }
      return true
    },
  })
  return blanks.reduce(
    (text, [from, to]) => text.slice(0, from) + text.slice(from, to).replace(/[^\n]/g, ' ') + text.slice(to),
    code,
  )
}
