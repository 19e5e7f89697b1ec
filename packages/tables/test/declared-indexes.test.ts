import { defineResources, type Model, needs } from '@fastify-crud/core'
import { checkTables, createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { CamelCasePlugin, sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase } from '../../../test/support/databases.ts'

const short = { maxLength: 40 }

const model = defineResources({
  publisher: {},
  book: {
    fields: {
      status: Type.String({ ...short, index: true }),
      title: Type.Optional(Type.String({ ...short, index: true })),
      isbn: Type.String(short),
      code: Type.Optional(Type.String(short)),
      price: Type.String({ ...short, format: 'decimal', index: true }),
      createdAt: Type.String({ format: 'date-time' }),
    },
    relations: { publisher: needs.one('publisher') },
    unique: [['isbn'], ['code']],
    index: [['status', 'createdAt'], ['status', 'price'], ['publisher', 'createdAt'], ['isbn'], ['code']],
  },
})

/** The indexes of the model that are not those of keys, as the database shows them, with the expression of a `date-time` cut short. */
async function indexesOf({ name, db }: OpenDatabase): Promise<readonly string[]> {
  const { rows } = await (name === 'sqlite'
    ? sql<{ text: string }>`select sql as text from sqlite_schema where type = 'index' and sql is not null`
    : sql<{
        text: string
      }>`select indexdef as text from pg_indexes where schemaname = 'public' and indexdef not like '% UNIQUE %'`
  ).execute(db)
  const plain = rows.map(({ text }) =>
    text
      .replace(/^.* (\S+) ON (?:public\.)?"?book"?(?: USING btree)? ?/i, '$1 ')
      .replaceAll(/\(?\s*CASE\s[\s\S]*?::numeric\s+END\)/g, '(moment)')
      .replaceAll('"', ''),
  )
  return plain.filter((text) => !text.includes('crud_')).sort()
}

/** `checkTables`, as texts. */
async function found({ db }: OpenDatabase, wanted: Model = model): Promise<readonly string[]> {
  return (await checkTables(db, wanted)).map(({ severity, message }) => `${severity}: ${message}`)
}

/** The statements that the findings end with. */
function mends(findings: readonly string[]): readonly string[] {
  return findings.map((text) => /(?:CREATE INDEX|ALTER TABLE).*$/s.exec(text)?.[0] ?? text)
}

describe.each(databases)('Declared indexes ($name)', (database) => {
  let open: OpenDatabase
  beforeEach(async () => {
    open = await database.open()
  })
  afterEach(() => open.close())

  const isPostgres = database.name === 'postgres'

  const expected = isPostgres
    ? [
        'book_code_desc_idx (code DESC NULLS LAST, id DESC)',
        'book_code_idx (code, id)',
        'book_price_idx (price, id)',
        'book_publisherId_createdAt_idx (publisherId, createdAt, id)',
        'book_status_createdAt_idx (status, createdAt, id)',
        'book_status_idx (status, id)',
        'book_status_price_idx (status, price, id)',
        'book_title_desc_idx (title DESC NULLS LAST, id DESC)',
        'book_title_idx (title, id)',
      ]
    : [
        "book_publisherId_createdAt_idx (publisherId, (unixepoch(createdAt, 'subsec')))",
        "book_status_createdAt_idx (status, (unixepoch(createdAt, 'subsec')))",
        'book_status_idx (status)',
        'book_title_idx (title)',
      ]

  test('createTables makes them, and checkTables finds nothing wrong', async () => {
    await createTables(open.db, model)
    expect(await indexesOf(open)).toEqual(expected)
    expect(await found(open)).toEqual([])
  })

  test('createTables adds those that are missing to tables that are there', async () => {
    await createTables(open.db, model)
    for (const text of expected) await sql`drop index ${sql.id(text.split(' ')[0] as string)}`.execute(open.db)
    expect(await indexesOf(open)).toEqual([])
    await createTables(open.db, model)
    // The unique keys serve, as no table is created with them.
    expect(await indexesOf(open)).toEqual(expected.filter((text) => !/^book_(?:code)_idx/.test(text)))
    const statements = await open.statements.record(() => createTables(open.db, model))
    expect(statements.filter((text) => /^create/i.test(text))).toEqual([])
  })

  test('checkTables names each one that is missing, with the statement that creates it', async () => {
    await createTables(open.db, model)
    for (const text of expected) await sql`drop index ${sql.id(text.split(' ')[0] as string)}`.execute(open.db)
    const findings = await found(open)
    expect(findings).toContain(
      `warning: book has no index over (status): filters and sorts by it may read the whole table: ` +
        `CREATE INDEX "book_status_idx" ON "book" ("status"${isPostgres ? ', "id"' : ''})`,
    )
    for (const statement of mends(findings)) await sql.raw(statement).execute(open.db)
    expect(await found(open)).toEqual([])
  })

  test('An index serves if the wanted columns lead it', async () => {
    const { book } = model.descriptors
    const one = { fields: { title: Type.String(short), isbn: Type.String(short), pages: Type.Integer() } }
    const wanted = defineResources({ book: { ...one, index: [['title', 'isbn']] } })
    expect(book.index).toHaveLength(5)
    await createTables(open.db, defineResources({ book: one }))
    const serves = async (columns: string): Promise<boolean> => {
      await sql.raw(`create index tried on book (${columns})`).execute(open.db)
      const findings = await found(open, wanted)
      await sql`drop index tried`.execute(open.db)
      return findings.length === 0
    }
    expect(await serves('title, isbn')).toBe(true)
    expect(await serves('title, isbn, pages')).toBe(true)
    expect(await serves('title desc, isbn desc')).toBe(true)
    expect(await serves('isbn, title')).toBe(false)
    expect(await serves('title')).toBe(false)
    expect(await serves('title, isbn desc')).toBe(false)
    expect(await serves('title, lower(isbn)')).toBe(false)
    expect(await serves('title, isbn) where (pages > 5')).toBe(false)
    expect(await serves(`title collate ${isPostgres ? '"POSIX"' : 'nocase'}, isbn`)).toBe(false)
    if (isPostgres) expect(await serves('title desc nulls last, isbn desc nulls last')).toBe(false)
    await sql`create unique index tried on book (title, isbn, pages)`.execute(open.db)
    expect((await found(open, wanted)).filter((text) => text.includes('no index'))).toEqual([])
  })

  test('Names go through plugins, and an index over a foreign key is the foreign key’s as well', async () => {
    await open.close()
    open = await database.open({ plugins: [new CamelCasePlugin()] })
    const wanted = defineResources({
      house: {},
      book: { relations: { firstHouse: needs.one('house') }, index: [['firstHouse']] },
    })
    await createTables(open.db, wanted)
    expect(await indexesOf(open)).toEqual([
      isPostgres ? 'book_first_house_id_idx (first_house_id, id)' : 'book_first_house_id_idx (first_house_id)',
    ])
    expect(await found(open, wanted)).toEqual([])
  })

  test('Long names, and names with quotes, are those of indexes that can be found again', async () => {
    const name = `a "b" ${'c'.repeat(40)}`
    const value = Type.Optional(Type.String({ format: 'date-time' }))
    const wanted = defineResources({
      thing: { table: 't"x', fields: { [name]: value, [`${name}!`]: value }, index: [[name], [name, `${name}!`]] },
    })
    await createTables(open.db, wanted)
    expect(await found(open, wanted)).toEqual([])
  })
})

describe('On PostgreSQL', () => {
  let open: OpenDatabase
  beforeEach(async () => {
    open = (await databases.find(({ name }) => name === 'postgres')?.open()) as OpenDatabase
  })
  afterEach(() => open.close())

  test('all text columns that createTables makes sort by code point', async () => {
    await createTables(open.db, model)
    const { rows } = await sql<{ column: string; collation: string }>`
      select a.attname as column, c.collname as collation from pg_attribute a join pg_collation c on c.oid = a.attcollation
      where a.attrelid = 'book'::regclass order by a.attname`.execute(open.db)
    expect(rows.map(({ column }) => column)).toEqual(['code', 'isbn', 'status', 'title'])
    expect(new Set(rows.map(({ collation }) => collation))).toEqual(new Set(['C']))
  })

  test('an index of texts has the moments and numbers that they name', async () => {
    const text = (format: string) => Type.String({ ...short, format, stored: 'text', index: true })
    const texts = defineResources({ book: { fields: { at: text('date-time'), price: text('decimal') } } })
    await createTables(open.db, texts)
    expect(await indexesOf(open)).toEqual(['book_at_idx ((moment), id)', 'book_price_idx (((price)::numeric), id)'])
    expect(await found(open, texts)).toEqual([])
  })

  test('checkTables names an indexed text column with another collation, and how to change it', async () => {
    const wanted = defineResources({ book: { fields: { title: Type.String({ ...short, index: true }) } } })
    await sql`create table book (id bigint generated by default as identity primary key, title varchar(40) not null)`.execute(
      open.db,
    )
    await sql`create index by_title on book (title)`.execute(open.db)
    const findings = await found(open, wanted)
    expect(findings).toEqual([
      "warning: book.title has the database's collation, so sorts and comparisons by code point use no index of it: " +
        'ALTER TABLE "book" ALTER COLUMN "title" TYPE character varying(40) COLLATE "C"',
    ])
    for (const statement of mends(findings)) await sql.raw(statement).execute(open.db)
    expect(await found(open, wanted)).toEqual([])
  })

  test.each(['varchar(40)', 'char(30)', 'text'])('an index over what a %s names is found again', async (type) => {
    const wanted = defineResources({
      book: {
        fields: {
          price: Type.String({ ...short, format: 'decimal', index: true }),
          at: Type.String({ format: 'date-time', index: true }),
        },
      },
    })
    await sql`create table book (
      id bigint generated by default as identity primary key, price ${sql.raw(type)} not null, at ${sql.raw(type)} not null
    )`.execute(open.db)
    const missing = async () => (await found(open, wanted)).filter((text) => text.includes('has no index'))
    expect(await missing()).toHaveLength(2)
    await createTables(open.db, wanted)
    expect(await missing()).toEqual([])
  })

  test('columns of other types than text are indexed as they are', async () => {
    const wanted = defineResources({
      book: {
        fields: {
          price: Type.String({ ...short, format: 'decimal', index: true }),
          at: Type.String({ format: 'date-time', index: true }),
        },
      },
    })
    await sql`create table book (
      id bigint generated by default as identity primary key, price numeric not null, at timestamptz not null
    )`.execute(open.db)
    await createTables(open.db, wanted)
    expect(await indexesOf(open)).toEqual(['book_at_idx (at, id)', 'book_price_idx (price, id)'])
    expect(await found(open, wanted)).toEqual([])
  })
})
