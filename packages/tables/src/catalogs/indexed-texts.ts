/** A text or quoted name, a comment, or any other character. */
const TOKEN = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\/|[\s\S]/g

/** What a `CREATE INDEX` statement of SQLite has between its first brackets: a text for each column or expression. */
export function indexedTexts(statement: string): readonly string[] {
  const texts: string[] = []
  let text = ''
  let depth = 0
  for (const [token] of statement.matchAll(TOKEN)) {
    if (token === ')') depth -= 1
    if (depth === 0 && token === ')') return [...texts, text.trim()]
    if (depth === 1 && token === ',') {
      texts.push(text.trim())
      text = ''
    } else if (depth > 0 && !/^(?:--|\/\*)/.test(token)) {
      text += token
    }
    if (token === '(') depth += 1
  }
  return texts
}

/** What stands behind WHERE in a `CREATE INDEX` statement of SQLite, without comments; empty if nothing does. */
export function predicateOf(statement: string): string {
  let depth = 0
  let behind: string | undefined
  for (const [token] of statement.matchAll(TOKEN)) {
    if (/^(?:--|\/\*)/.test(token)) continue
    if (behind !== undefined) behind += token
    else if (token === '(') depth += 1
    else if (token === ')') depth -= 1
    if (behind === undefined && depth === 0 && token === ')') behind = ''
  }
  return (behind ?? '').replace(/^\s*where\b/i, '').trim()
}
