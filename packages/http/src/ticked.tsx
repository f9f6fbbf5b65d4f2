import type { Child } from 'hono/jsx'

/** Shows a text in which words between backticks are code. */
export function Ticked({ text }: { readonly text: string }): Child {
  return <>{text.split('`').map((part, i) => (i % 2 === 1 ? <code>{part}</code> : part))}</>
}
