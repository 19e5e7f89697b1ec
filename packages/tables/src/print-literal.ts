/** A value as JavaScript, with texts as JSON has them: whatever a database calls its tables, it never becomes code. */
export function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([name, inner]) => `${property(name)}: ${literal(inner)}`)
    return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
  }
  return typeof value === 'string' ? text(value) : JSON.stringify(value)
}

/** The name of a property in an object literal. */
export function property(name: string): string {
  // `{ "__proto__": … }` would set the prototype.
  if (name === '__proto__') return '["__proto__"]'
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : text(name)
}

/** A comment of one line. */
export function comment(words: string): string {
  return `// ${words.replaceAll(LINE_END, ' ')}`
}

/** All that ends a line in JavaScript. */
const LINE_END = /[\n\r\u2028\u2029]+/g

/** In single quotes, where that needs nothing more. */
function text(value: string): string {
  if (/^[\w .,:;/@#%&*()[\]{}<>=+!?|~^$-]*$/.test(value)) return `'${value}'`
  return JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
}
