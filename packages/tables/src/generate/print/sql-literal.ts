/** SQL as a literal of JavaScript, in the quotes that leave it readable. Whatever a database calls its tables, it never becomes code. */
export function sqlLiteral(statement: string): string {
  if (/^[^'\\\p{Cc}\u2028\u2029]*$/u.test(statement)) return `'${statement}'`
  if (/^[^\\`$\p{Cc}\u2028\u2029]*$/u.test(statement)) return `\`${statement}\``
  return JSON.stringify(statement).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
}
