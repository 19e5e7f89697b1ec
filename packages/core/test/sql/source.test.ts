import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { Kysely, SqliteDialect, sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import { queryContext } from '../../src/sql/context.ts'
import { visibleRows } from '../../src/sql/rows/visible-rows.ts'
import type { Sql } from '../../src/sql/text/sql-text.ts'
import { insertInto, sourceOf, storedRows } from '../../src/sql/text/stored-rows.ts'
import { resourceOf } from './bookshop.ts'

const db = new Kysely<Record<string, never>>({ dialect: new SqliteDialect({ database: new Database(':memory:') }) })
afterAll(() => db.destroy())

const textOf = (query: Sql) => query.compile(db).sql
const [a, b] = [sql`a = 1`, sql`b = 2`]

describe('a source', () => {
  const rows = sourceOf(sql`"books"`, 't')
  const kept = sourceOf(sql`"books"`, 't', [sql`kept`])

  test('has no WHERE without a condition', () => {
    expect(textOf(rows.from())).toBe('from "books" as "t"')
    expect(textOf(rows.delete())).toBe('delete from "books" as "t"')
  })

  test('joins conditions by AND', () => {
    expect(textOf(rows.from(a))).toBe('from "books" as "t" where a = 1')
    expect(textOf(rows.from(a, b))).toBe('from "books" as "t" where a = 1 and b = 2')
    expect(textOf(rows.joinedOn(a, b))).toBe('"books" as "t" on a = 1 and b = 2')
    expect(textOf(rows.update(sql`c = 3`, a))).toBe('update "books" as "t" set c = 3 where a = 1')
    expect(textOf(rows.delete(a))).toBe('delete from "books" as "t" where a = 1')
  })

  test('adds its own conditions to each query', () => {
    expect(textOf(kept.from())).toBe('from "books" as "t" where kept')
    expect(textOf(kept.from(a))).toBe('from "books" as "t" where a = 1 and kept')
    expect(textOf(kept.joinedOn(a))).toBe('"books" as "t" on a = 1 and kept')
    expect(textOf(kept.update(sql`c = 3`, a))).toBe('update "books" as "t" set c = 3 where a = 1 and kept')
    expect(textOf(kept.delete(a))).toBe('delete from "books" as "t" where a = 1 and kept')
  })

  test('is named by its table where it has no alias', () => {
    const unnamed = sourceOf(sql`"books"`, undefined)
    expect(textOf(unnamed.from(a))).toBe('from "books" where a = 1')
    expect(textOf(unnamed.name)).toBe('"books"')
    expect(textOf(rows.name)).toBe('"t"')
  })

  test('is made for resources and links, by the names that the database has', () => {
    const context = queryContext(db)
    const book = resourceOf('book')
    const [authors] = book.links
    if (authors === undefined) expect.unreachable()
    expect(textOf(visibleRows(context, book, 't').from())).toBe('from "books" as "t"')
    expect(textOf(storedRows(context, book).from())).toBe('from "books"')
    expect(textOf(storedRows(context, authors, 'l').from())).toBe(`from "${authors.table}" as "l"`)
    expect(textOf(insertInto(context, book, ['id', 'book_title']))).toBe('insert into "books" ("id", "book_title")')
  })
})

const folder = join(import.meta.dirname, '../../src/sql')
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))

/** Ways to come by the name of a table, or to write one. */
const NAMES_A_TABLE = [
  /\bnames\.table\b/,
  /\{[^{}]*\btable\b[^{}]*\} = [\w.]*\bnames\b/,
  /\b(?:from|join|into|update) \$\{sql\.(?:table|ref|id\([^)]*\.table\b)/,
  /\.(?:selectFrom|insertInto|updateTable|deleteFrom|mergeInto)\(/,
]

/** A dialect writes the name of a table that it is given, for the type of its rows and for the sequence of its ids. */
const USES_A_TABLE = /\btable(?:Of\([^)]*\))?\.(?:sql|text|inDatabase)\b/

/** No descriptor names these tables, and no condition of a resource's rows holds for them. */
const OTHER_TABLES: Readonly<Record<string, string>> = {
  'steps/number-queries.ts': 'the table of `numbers`',
  'steps/repeat-queries.ts': 'the table of `Idempotency-Key`',
  'steps/history-queries.ts': 'the tables of the history',
  'filters/search-candidates.ts': 'the words of an index, which say where to look',
}

describe('no other file names a table in a query', () => {
  // `sql-text.ts` defines what `stored-rows.ts` asks for a name.
  const others = files.filter((file) => !(file in OTHER_TABLES))
  test.each(others.filter((file) => file !== 'text/stored-rows.ts' && file !== 'text/sql-text.ts'))('%s', (file) => {
    const patterns = file.startsWith('dialect') ? NAMES_A_TABLE : [...NAMES_A_TABLE, USES_A_TABLE]
    const lines = readFileSync(join(folder, file), 'utf8').split('\n')
    expect(lines.filter((line) => patterns.some((pattern) => pattern.test(line)))).toEqual([])
  })
})
