/** Makes the test of a search: an item whose text has all of the words. The server and the browser judge by the same function. */
export function havingWords(words) {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  return ({ text }) => wanted.every((word) => text.toLowerCase().includes(word))
}
