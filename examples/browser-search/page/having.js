/** What the words of a search let through: an item whose text has all of them. The server and the browser judge by the same function. */
export function havingWords(words) {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  return ({ text }) => wanted.every((word) => text.toLowerCase().includes(word))
}
