// Puts a link below each block of code that the playground opens.
import { playgroundExamples } from './examples.mjs'

/** @param base The path of the site, which ends with a slash. */
export function fenceLinks(base) {
  const ids = new Map(playgroundExamples().map(({ code, id }) => [code, id]))
  return (markdown) => {
    const { fence } = markdown.renderer.rules
    markdown.renderer.rules.fence = (tokens, i, ...rest) => {
      const block = fence(tokens, i, ...rest)
      const id = ids.get(tokens[i].content)
      if (id === undefined) return block
      return `${block}<p class="open-in-playground"><a href="${base}playground.html#${id}">Open in the playground</a></p>\n`
    }
  }
}
