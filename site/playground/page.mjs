// Puts the playground into its page: the tool where the document has a mark, and a list of the examples that it opens.
import { playgroundExamples } from './examples.mjs'

/** @param text The document. */
export function playgroundPage(text) {
  const [, before, after] = /^([\s\S]*?)<!-- playground -->[\s\S]*?<!-- \/playground -->([\s\S]*)$/.exec(text)
  return `---
layout: page
sidebar: false
title: Playground
---

<script setup>
import { defineAsyncComponent } from 'vue'
// Loaded apart from the text, which stands there at once and without JavaScript.
const Playground = defineAsyncComponent(() => import('../playground/Playground.vue'))
</script>

<main class="playground-page">
<div class="vp-doc">

${before}
</div>

<ClientOnly><Playground /></ClientOnly>

<div class="vp-doc">
${after}
## Examples

${exampleList()}

</div>
</main>
`
}

/** Each entry has the anchor that links to the example lead to. */
function exampleList() {
  const examples = playgroundExamples()
  const groups = [...new Set(examples.map(({ group }) => group))]
  return groups
    .map((group) => {
      const own = examples.filter((example) => example.group === group)
      const entries = own.map(({ id, title }) => `<li id="${id}"><a href="#${id}">${escaped(title)}</a></li>`)
      return `<p>${escaped(group)}</p>\n<ul>${entries.join('')}</ul>`
    })
    .join('\n')
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('{', '&#123;')
}
