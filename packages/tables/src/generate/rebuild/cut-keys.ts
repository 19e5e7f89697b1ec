import type { AnyKysely } from '@fastify-crud/core'
import { databaseOf } from '@fastify-crud/core/internal'
import { sql } from 'kysely'
import { isSameSet } from '../../catalogs/found-tables.ts'
import { indexedTexts } from '../../catalogs/indexed-texts.ts'
import type { Edit } from '../change.ts'

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

/** Removes a unique key with a name; undefined if the table was not created with it. */
export function removedUnique(createTable: string, name: string): Edit | undefined {
  const part = partsOfTable(createTable).find(({ tokens: [first, second, third] }) => {
    return isWord(first, 'CONSTRAINT') && second !== undefined && isName(second, name) && isWord(third, 'UNIQUE')
  })
  return part && only(createTable, { from: part.text, to: '' })
}

/** Has nothing happen to the row when the one that it names is deleted. */
export function removedAction(createTable: string, column: string): Edit | undefined {
  const part = partsOfTable(createTable).find((one) => isForeignKeyOf(one, column))
  if (part === undefined) return undefined
  const { tokens, text } = part
  const on = tokens.findIndex((token, at) => isWord(token, 'ON') && isWord(tokens[at + 1], 'DELETE'))
  if (on < 0) return undefined
  const isOfTwoWords = isWord(tokens[on + 2], 'SET') || isWord(tokens[on + 2], 'NO')
  const last = tokens[on + (isOfTwoWords ? 3 : 2)] as Token
  const before = tokens[on - 1] as Token
  return only(createTable, { from: text.slice(0, last.end), to: text.slice(0, before.end) })
}

function isForeignKeyOf({ tokens }: TablePart, column: string): boolean {
  const at = tokens.findIndex((token) => isWord(token, 'REFERENCES'))
  if (at < 0) return false
  const key = tokens.findIndex((token, index) => isWord(token, 'FOREIGN') && isWord(tokens[index + 1], 'KEY'))
  const [named, end] = key < 0 ? [tokens[0], undefined] : [tokens[key + 3], tokens[key + 4]]
  return named !== undefined && isName(named, column) && (key < 0 || isWord(end, ')'))
}

/** What may follow the type of a column. */
const CONSTRAINTS = [
  ...['CONSTRAINT', 'PRIMARY', 'NOT', 'NULL', 'UNIQUE', 'CHECK', 'DEFAULT', 'COLLATE', 'REFERENCES', 'GENERATED', 'AS'],
]

/** What may depend on the type. */
const OF_A_TYPE = ['CHECK', 'COLLATE', 'DEFAULT', 'GENERATED', 'AS', 'PRIMARY', 'REFERENCES']

/** Gives a column another type; undefined if more is said of the column than that it is unique or not null. */
export function otherType(createTable: string, column: string, type: string): Edit | undefined {
  const part = partsOfTable(createTable).find(({ tokens: [first] }) => first !== undefined && isName(first, column))
  const [name, ...behind] = part?.tokens ?? []
  if (part === undefined || name === undefined) return undefined
  if (behind.some(({ word, isQuoted }) => !isQuoted && OF_A_TYPE.includes(word))) return undefined
  const end = behind.findIndex(({ word, isQuoted }) => !isQuoted && CONSTRAINTS.includes(word))
  const ofType = end < 0 ? behind : behind.slice(0, end)
  const from = part.text.slice(0, ofType.at(-1)?.end ?? name.end)
  return only(createTable, { from, to: `${part.text.slice(0, name.end)} ${type}` })
}

/** An edit whose place is certain, also on the way back. */
function only(createTable: string, edit: Edit): Edit | undefined {
  if (!occursOnce(createTable, edit.from)) return undefined
  const changed = createTable.replace(edit.from, () => edit.to)
  return edit.to === '' || occursOnce(changed, edit.to) ? edit : undefined
}

/** SQLite: the `CREATE TABLE` of each table, by its name in lower case. */
export type TableTexts = ReadonlyMap<string, string>

export async function readTableTexts(db: AnyKysely): Promise<TableTexts> {
  if (databaseOf(db) === 'postgres') return new Map()
  const { rows } = await sql<{
    name: string
    sql: string
  }>`select name, sql from sqlite_schema where type = 'table' and sql is not null`.execute(db)
  return new Map(rows.map((row) => [row.name.toLowerCase(), row.sql]))
}

/** A column or constraint of a `CREATE TABLE`, as it is spelled there. */
interface TablePart {
  readonly text: string
  readonly tokens: readonly Token[]
}

interface Token {
  /** In upper case; of a name in quotes, the name itself. */
  readonly word: string
  readonly isQuoted: boolean
  /** Where it begins in the part's text, and where what is behind it begins. */
  readonly start: number
  readonly end: number
}

export function partsOfTable(createTable: string): readonly TablePart[] {
  return indexedTexts(createTable).map((text) => ({ text, tokens: tokensOf(text) }))
}

/** A name or text in quotes, a word, or another character. */
const TOKEN = /"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|'(?:[^']|'')*'|[\w$\u0080-\uffff]+|\S/g

function tokensOf(text: string): readonly Token[] {
  return [...text.matchAll(TOKEN)].map(({ 0: token, index }) => {
    const isQuoted = /^["`['].+/.test(token)
    const word = isQuoted ? unquoted(token) : token.toUpperCase()
    return { word, isQuoted, start: index, end: index + token.length }
  })
}

function unquoted(token: string): string {
  const quote = token[0] as string
  return token.slice(1, -1).replaceAll(quote + quote, quote)
}

function isName({ word }: Token, name: string): boolean {
  return word.toUpperCase() === name.toUpperCase()
}

function isWord(token: Token | undefined, word: string): boolean {
  return token !== undefined && !token.isQuoted && token.word === word
}

/** Whether a piece of the text is there once, as a migration will look for it. */
export function occursOnce(createTable: string, piece: string): boolean {
  return createTable.split(piece).length === 2
}
