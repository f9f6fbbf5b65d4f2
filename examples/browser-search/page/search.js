import { havingWords } from './having.js'

const product = new URLSearchParams(location.search).get('product') ?? 'p1'
const kept = `reviews of ${product}`
const [words, list, note] = ['words', 'reviews', 'note'].map((id) => document.getElementById(id))

/** All reviews of the product where they are few enough to be kept, else those that the server found. */
async function find(text) {
  const cached = sessionStorage.getItem(kept)
  if (cached !== null) return { whole: true, items: JSON.parse(cached), from: 'kept here' }
  const answer = await fetch(`/reviews?${new URLSearchParams({ product, words: text })}`)
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`)
  const { whole, items, rcu } = await answer.json()
  if (whole) sessionStorage.setItem(kept, JSON.stringify(items))
  return { whole, items, from: `read for ${rcu} RCU` }
}

let asked = 0
async function show() {
  const turn = ++asked
  const text = words.value
  const { whole, items, from } = await find(text)
  // An answer to an older question comes too late.
  if (turn !== asked) return
  const found = whole ? items.filter(havingWords(text)) : items
  list.replaceChildren(
    ...found.map(({ id, text: said }) => {
      const item = document.createElement('li')
      item.id = id
      item.textContent = said
      return item
    }),
  )
  note.textContent = `${found.length} reviews, ${from}`
}

words.addEventListener('input', show)
await show()
