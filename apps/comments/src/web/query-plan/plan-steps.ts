/** The steps of a plan's line, without the price that ends it. */
export function stepsOf(text: string): string {
  const end = text.lastIndexOf(' -- ')
  return end < 0 ? text : text.slice(0, end)
}
