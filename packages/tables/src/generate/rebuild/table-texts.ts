import type { AnyKysely } from '@fastify-crud/core'
import { databaseOf } from '@fastify-crud/core/internal'
import { sql } from 'kysely'
import { indexedTexts } from '../../catalogs/indexed-texts.ts'

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
export interface TablePart {
  readonly text: string
  readonly tokens: readonly Token[]
}

export interface Token {
  /** In upper case; of a name in quotes, the name itself. */
  readonly word: string
  readonly isQuoted: boolean
  /** Where it begins in the part's text, and where what is behind it begins. */
  readonly start: number
  readonly end: number
}

export function partsOf(createTable: string): readonly TablePart[] {
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

export function isName({ word }: Token, name: string): boolean {
  return word.toUpperCase() === name.toUpperCase()
}

export function isWord(token: Token | undefined, word: string): boolean {
  return token !== undefined && !token.isQuoted && token.word === word
}

/** Whether a piece of the text is there once, as a migration will look for it. */
export function occursOnce(createTable: string, piece: string): boolean {
  return createTable.split(piece).length === 2
}
