/** The number that a decimal text of DynamoDB stands for; undefined where JavaScript has only a number near it. */
export function exactNumber(text: string): number | undefined {
  const value = Number(text)
  return canonical(text) === canonical(String(value)) ? value : undefined
}

/** Sign, digits and exponent, in one way for each number. */
function canonical(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const short = digits.replace(/0+$/, '')
  if (short === '') return '0'
  return `${sign === '-' ? '-' : ''}${short}e${Number(exponent) - fraction.length + digits.length - short.length}`
}
