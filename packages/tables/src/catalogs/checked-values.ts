const QUOTED = `E?'(?:[^']|'')*'`
const NAME = `(?:"(?:[^"]|"")*"|[\\p{L}_][\\p{L}\\p{N}_$]*)`

/** A text as PostgreSQL prints it, with its type. A dump that was restored has a second cast. */
const ELEMENT = `\\(?${QUOTED}::(?:text|character varying|bpchar)\\)?(?:::text)?`
const COLUMN = `(?:${NAME}|\\(${NAME}\\)::text)`
const LIST = `\\(?ARRAY\\[${ELEMENT}(?:, ${ELEMENT})*\\]\\)?(?:::text\\[\\])?`
const POSTGRES = new RegExp(`^CHECK \\(\\(${COLUMN} = (?:ANY \\(${LIST}\\)|${ELEMENT})\\)\\)$`, 'u')

/**
 * The texts that a CHECK of one column allows, as `pg_get_constraintdef` prints it: `CHECK ((status = ANY (ARRAY['a'::text, 'b'::text])))`.
 * Undefined for a check that says anything else.
 */
export function checkedByPostgres(definition: string): readonly string[] | undefined {
  if (!POSTGRES.test(definition)) return undefined
  // Names in double quotes may have single ones in them.
  const [, values = ''] = definition.split(/ = (.*)/su)
  return Array.from(values.matchAll(new RegExp(QUOTED, 'g')), ([text]) => textIn(text))
}

/** A text without its quotes. */
function textIn(quoted: string): string {
  const text = quoted.slice(quoted.indexOf("'") + 1, -1).replaceAll("''", "'")
  return quoted.startsWith('E') ? text.replaceAll('\\\\', '\\') : text
}

const TOKEN = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|[\p{L}_][\p{L}\p{N}_$]*|\S/gu

/** Texts between commas. */
const TEXTS = /^'(?:[^']|'')*'(?:,'(?:[^']|'')*')*$/

/**
 * The texts that checks like `check (status in ('a', 'b'))` of a `CREATE TABLE` of SQLite allow, by the column's name in lower case. Other
 * checks are left out, and so are all where some column may have a collation, to which other texts are equal.
 */
export function checkedBySqlite(statement: string): ReadonlyMap<string, readonly string[]> {
  const tokens = (statement.match(TOKEN) ?? []).filter((token) => !/^(?:--|\/\*)/.test(token))
  const checked = new Map<string, readonly string[]>()
  if (tokens.some((token) => /^collate$/i.test(token))) return checked
  for (const [index, token] of tokens.entries()) {
    if (!/^check$/i.test(token) || tokens[index + 1] !== '(') continue
    const [name, word, ...list] = withoutBrackets(tokens.slice(index + 1, endOf(tokens, index + 1)))
    const texts = list.slice(1, -1).join('')
    const isList = /^in$/i.test(word ?? '') && list[0] === '(' && list.at(-1) === ')' && TEXTS.test(texts)
    if (name === undefined || !isList) continue
    checked.set(nameIn(name).toLowerCase(), list.filter((one) => one.startsWith("'")).map(textIn))
  }
  return checked
}

/** The index behind the bracket that closes the one at an index. */
function endOf(tokens: readonly string[], start: number): number {
  let depth = 0
  for (let index = start; index < tokens.length; index++) {
    if (tokens[index] === '(') depth += 1
    if (tokens[index] === ')') depth -= 1
    if (depth === 0) return index + 1
  }
  return tokens.length
}

function withoutBrackets(tokens: readonly string[]): readonly string[] {
  const isInBrackets = tokens[0] === '(' && endOf(tokens, 0) === tokens.length
  return isInBrackets ? withoutBrackets(tokens.slice(1, -1)) : tokens
}

function nameIn(token: string): string {
  if (token.startsWith('"')) return token.slice(1, -1).replaceAll('""', '"')
  return /^[`[]/.test(token) ? token.slice(1, -1) : token
}
