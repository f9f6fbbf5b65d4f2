/** Marks that letters of several scripts may have: accents, the dots of Japanese, the vowels of Arabic. Those of one script alone are letters of it. */
const MARKS = /\p{Script=Inherited}/gu

/** Letters that have no mark to lose, as people type them who lack the key. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ Æ: 'AE', Œ: 'OE', Ø: 'O', Đ: 'D', Ð: 'D', Þ: 'TH', Ł: 'L', Ħ: 'H', Ŧ: 'T' },
}
const UNMARKED = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'gu')

/** Returns a text without what people leave out when they search: case, accents, and the forms of a letter. */
export function folded(text: string): string {
  // Case before marks: the iota below a Greek letter, alone too, is a letter of its own in capitals. Some forms of a letter, such as ª, get one only then.
  return plain(plain(text)).replace(UNMARKED, (letter) => LETTERS[letter] ?? letter)
}

function plain(text: string): string {
  return text.normalize('NFKD').toUpperCase().normalize('NFKD').replace(MARKS, '')
}

/** Returns the words of a text, folded. */
export function foldedWords(text: string): readonly string[] {
  return folded(text).match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
}
