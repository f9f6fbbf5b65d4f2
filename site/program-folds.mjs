// Puts a fold below each example that is no whole program, with the program that it is a part of.
import { readKnown, standAlone, wholeProgram } from './whole-program.ts'

/** What documents say of the names that their examples do not declare, for readers elsewhere. */
const DECLARED_HERE =
  /(The n|N)ames that [^.]*?\[declared here\]\(([^)]*)\)\.| \(\[what the snippets below use\]\([^)]*\)\)/

/** @param sourceOf The file of the repository that a page is made from; undefined for a page of the reference. */
export function programFolds(sourceOf) {
  const known = readKnown()
  const programOf = (code) => wholeProgram(code, known)
  return (markdown) => {
    const { escapeHtml } = markdown.utils
    const { fence } = markdown.renderer.rules
    markdown.renderer.rules.fence = (tokens, i, options, env, self) => {
      const block = fence(tokens, i, options, env, self)
      // The search does not look into folds: they are the same code many times.
      if (env.isSearched || !/^ts\b/.test(tokens[i].info) || !isPart(tokens, i, env)) return block
      const program = programOf(tokens[i].content)
      if (program === undefined) return block
      const code = program.map(({ text, isOwn }) =>
        isOwn ? escapeHtml(text) : `<span class="given">${escapeHtml(text)}</span>`,
      )
      return `${block}<details class="whole-program"><summary>The whole program</summary><div class="language-ts"><button title="Copy Code" class="copy"></button><span class="lang">example.mts</span><pre class="plain" tabindex="0" v-pre><code>${code.join('')}</code></pre></div></details>\n`
    }
    markdown.core.ruler.before('normalize', 'declared_here', (state) => {
      const examples = [...state.src.matchAll(/^```ts\b.*\n([\s\S]*?)^```$/gm)].map(([, code]) => code)
      if (examples.some((code) => programOf(code) !== undefined))
        state.src = state.src.replace(DECLARED_HERE, (_, names, page) =>
          names === undefined ? '' : `Examples unfold to [whole programs](${page}).`,
        )
    })
  }

  /** In the reference code is of an example, or the declaration itself. */
  function isPart(tokens, i, { relativePath }) {
    const source = sourceOf(relativePath)
    if (source !== undefined) return source.startsWith('docs/') && !standAlone(source)
    const heading = tokens.slice(0, i).findLastIndex(({ type }) => type === 'heading_open')
    return relativePath.startsWith('api/') && /^Examples?$/.test(tokens[heading + 1]?.content ?? '')
  }
}
