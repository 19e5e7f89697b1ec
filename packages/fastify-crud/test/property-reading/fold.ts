/** How a database changes case: by Unicode's simple lower case, or only the letters of ASCII. */
export type Folding = 'simple' | 'ascii'

const DOTTED_CAPITAL_I = 'İ'

/** The text in lower case, each code point by itself. */
export function fold(text: string, folding: Folding): string {
  if (folding === 'ascii') return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
  // JavaScript maps this one code point to two. In the simple mapping it is a plain "i".
  return Array.from(text, (letter) => (letter === DOTTED_CAPITAL_I ? 'i' : letter.toLowerCase())).join('')
}
