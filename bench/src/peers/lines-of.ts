import { readFileSync } from 'node:fs'

/** Lines of code of a file beside this one: what is not empty, a comment or an import. */
export function linesOf(file: string): number {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8')
  return text.split('\n').filter((line) => line.trim() !== '' && !/^(import|\s*\/\/|\/?\s*\*)/.test(line)).length
}
