import { isSameSet } from '../../catalogs/found-indexes.ts'
import { isWord, type TablePart, type Token } from './table-texts.ts'

/** The keys that a `CREATE TABLE` is to lose, each by its columns. */
export interface GoneKeys {
  readonly primary: readonly string[] | undefined
  readonly uniques: readonly (readonly string[])[]
  readonly foreignKeys: readonly (readonly string[])[]
  /** How many keys these are. */
  readonly count: number
}

/** A part of a `CREATE TABLE` without keys. */
export interface Cut {
  readonly text: string
  /** Empty: nothing is left. */
  readonly left: string
  /** How many keys were in it. */
  readonly keys: number
}

export function cutKeys(part: TablePart, gone: GoneKeys): Cut | undefined {
  return isTableConstraint(part) ? cutConstraint(part, gone) : cutColumn(part, gone)
}

const OF_TABLES = ['CONSTRAINT', 'PRIMARY', 'UNIQUE', 'FOREIGN', 'CHECK']

function isTableConstraint({ tokens: [first] }: TablePart): boolean {
  return OF_TABLES.some((word) => isWord(first, word))
}

function cutConstraint({ text, tokens }: TablePart, gone: GoneKeys): Cut | undefined {
  const start = isWord(tokens[0], 'CONSTRAINT') ? 2 : 0
  const kind = tokens[start]
  const columns = namesInBrackets(tokens.slice(start))
  const isOneOf = (lists: readonly (readonly string[])[]) => lists.some((list) => isSame(list, columns))
  const isGone =
    (isWord(kind, 'PRIMARY') && gone.primary !== undefined && isSame(gone.primary, columns)) ||
    (isWord(kind, 'UNIQUE') && isOneOf(gone.uniques)) ||
    (isWord(kind, 'FOREIGN') && isOneOf(gone.foreignKeys))
  return isGone ? { text, left: '', keys: 1 } : undefined
}

/** The first of each list in the first brackets: a name may have a collation or a direction behind it. */
function namesInBrackets(tokens: readonly Token[]): readonly string[] {
  const open = tokens.findIndex((token) => isWord(token, '('))
  const close = tokens.findIndex((token) => isWord(token, ')'))
  return tokens
    .slice(open + 1, close)
    .filter((_, at, list) => at === 0 || isWord(list[at - 1], ','))
    .map(({ word }) => word)
}

/** SQLite does not tell upper from lower case in names. */
function isSame(columns: readonly string[], others: readonly string[]): boolean {
  const upper = (names: readonly string[]) => names.map((name) => name.toUpperCase())
  return isSameSet(upper(columns), upper(others))
}

function cutColumn(part: TablePart, gone: GoneKeys): Cut | undefined {
  const { tokens, text } = part
  const [name] = tokens
  if (name === undefined) return undefined
  const isOf = (columns: readonly string[] | undefined) => columns !== undefined && isSame(columns, [name.word])
  const spans = [
    ...(isOf(gone.primary) ? spanOf(tokens, 'PRIMARY', primaryEnd) : []),
    ...(gone.uniques.some(isOf) ? spanOf(tokens, 'UNIQUE', conflictEnd) : []),
    ...(gone.foreignKeys.some(isOf) ? spanOf(tokens, 'REFERENCES', referenceEnd) : []),
  ]
  if (spans.length === 0) return undefined
  // A primary key of SQLite takes null unless the column says otherwise.
  const saysNotNull = tokens.some((token, at) => isWord(token, 'NOT') && isWord(tokens[at + 1], 'NULL'))
  const notNull = isOf(gone.primary) && !saysNotNull ? ' NOT NULL' : ''
  const left = [...spans]
    .sort((a, b) => b.from - a.from)
    .reduce((whole, { from, to }) => whole.slice(0, from).trimEnd() + whole.slice(to), text)
  return { text, left: left + notNull, keys: spans.length }
}

interface Span {
  readonly from: number
  readonly to: number
}

/** Where a constraint of a column begins and ends, with its name; none if the column has no such constraint. */
function spanOf(
  tokens: readonly Token[],
  word: string,
  end: (tokens: readonly Token[], at: number) => number,
): readonly Span[] {
  const at = tokens.findIndex((token, position) => isWord(token, word) && depthAt(tokens, position) === 0)
  if (at < 0) return []
  const first = tokens[isWord(tokens[at - 2], 'CONSTRAINT') ? at - 2 : at] as Token
  return [{ from: first.start, to: (tokens[end(tokens, at)] as Token).end }]
}

function depthAt(tokens: readonly Token[], position: number): number {
  return tokens.slice(0, position).reduce((depth, token) => {
    return depth + (isWord(token, '(') ? 1 : isWord(token, ')') ? -1 : 0)
  }, 0)
}

/** `PRIMARY KEY ASC ON CONFLICT ABORT AUTOINCREMENT`. Each of these returns the position of the last token. */
function primaryEnd(tokens: readonly Token[], at: number): number {
  const key = at + 1
  const isSorted = isWord(tokens[key + 1], 'ASC') || isWord(tokens[key + 1], 'DESC')
  return conflictEnd(tokens, isSorted ? key + 1 : key)
}

function conflictEnd(tokens: readonly Token[], at: number): number {
  return isWord(tokens[at + 1], 'ON') && isWord(tokens[at + 2], 'CONFLICT') ? at + 3 : at
}

/** `REFERENCES author (id) ON DELETE SET NULL MATCH FULL NOT DEFERRABLE INITIALLY DEFERRED`. */
function referenceEnd(tokens: readonly Token[], at: number): number {
  let last = at + 1
  if (isWord(tokens[last + 1], '(')) last = tokens.findIndex((token, one) => one > last && isWord(token, ')'))
  for (;;) {
    const [first, second, third] = tokens.slice(last + 1, last + 4)
    const isOfTwoWords = isWord(third, 'SET') || isWord(third, 'NO')
    if (isWord(first, 'ON') && !isWord(second, 'CONFLICT')) last += isOfTwoWords ? 4 : 3
    else if (isWord(first, 'MATCH') || isWord(first, 'INITIALLY')) last += 2
    else if (isWord(first, 'NOT') && isWord(second, 'DEFERRABLE')) last += 2
    else if (isWord(first, 'DEFERRABLE')) last += 1
    else return last
  }
}
