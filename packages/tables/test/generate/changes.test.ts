import { createStore, defineResources, field, knows, type Model, needs, ownedBy, owns } from '@fastify-crud/core'
import { checkTables, createTables, generateMigrations } from '@fastify-crud/tables'
import { type TProperties, Type } from '@sinclair/typebox'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { Migrations } from './migrations.ts'
import { useMigrations } from './use-migrations.ts'

const short = Type.String({ maxLength: 50 })
const fields = { title: short, pages: Type.Integer(), note: Type.Optional(Type.String()) }
const book = (changed: TProperties, others: object = {}) =>
  defineResources({ book: { fields: { ...fields, ...changed }, ...others } } as never) as Model
const before = book({})

const ink = { title: 'Ink', pages: 4 }

describeOnBoth('generateMigrations', (setup) => {
  const isPostgres = setup.name === 'postgres'
  const { database, folder, migrate } = useMigrations(setup)

  test('creates all tables in an empty database', async () => {
    const to = defineResources({
      book: {
        fields: { ...fields, at: field(Type.String({ format: 'date-time' }), { index: true }) },
        relations: { chapters: owns.many('chapter'), author: needs.one('author'), tags: knows.many('author') },
        unique: [['title']],
      },
      chapter: { id: 'uuid', relations: { book: ownedBy('book') } },
      author: { id: 'text', fields: { favourite: Type.Boolean() } },
    }) as Model
    const { files } = await migrate(defineResources({ other: {} }) as Model, {}, to)
    expect(files.map(({ kind }) => kind)).toEqual(['ordinary'])
    expect(files[0]?.changes).toContain('the table author is missing')
  })

  test('adds fields, with the default or the given value in the rows that there are', async () => {
    const to = book({
      isbn: Type.Optional(Type.String()),
      rank: field(Type.Integer(), { default: 3, index: true }) as never,
      price: Type.Number(),
      day: Type.String({ format: 'date' }),
      extra: Type.Any(),
    })
    const fill = { 'book.price': '0.5', day: '2026-01-31', extra: { a: "it's" } }
    const { files, rows } = await migrate(before, { book: [ink] }, to, fill)
    expect(files.map(({ kind }) => kind)).toEqual(isPostgres ? ['ordinary', 'concurrently'] : ['ordinary'])
    expect(rows.book).toMatchObject([{ ...ink, note: null, isbn: null, price: 0.5 }])
    expect(await createStore({ db: database().db, resources: to }).resource('book').find(1)).toMatchObject({
      ...{ rank: 3, price: 0.5, day: '2026-01-31', extra: { a: "it's" } },
    })
    // No default stays that the model does not have.
    await expect(database().db.insertInto('book').values(ink).execute()).rejects.toThrow(/null/i)
  })

  test('asks for the values of rows, names each field, and makes no file then', async () => {
    const { db } = database()
    await createTables(db, before)
    await db.insertInto('book').values(ink).execute()
    const to = book({ price: Type.Number(), note: Type.String(), more: Type.Optional(Type.String()) })
    const { files, unfilled } = await generateMigrations(db, to)
    expect(files).toEqual([])
    expect(unfilled.map((one) => one.field)).toEqual(['book.price', 'book.note'])
    expect(unfilled[0]?.message).toBe(
      'column book.price is missing, and book has rows: give it by --fill book.price=VALUE, or give the field a default, or make it optional',
    )
    await expect(generateMigrations(db, to, { fill: { prize: 0 } })).rejects.toThrow("there is no field 'prize'")
    await expect(generateMigrations(db, to, { fill: { price: 'x' } })).rejects.toThrow("'price' must be number")
    await db.deleteFrom('book').execute()
    const empty = await generateMigrations(db, to)
    expect(empty.files[0]?.source).toContain('// column book.price is missing: this fails where book has rows')
  })

  test('makes a field required, with a value for the rows that have none, and optional', async () => {
    const rows = [ink, { ...ink, note: 'x' }]
    const to = book({ title: Type.Optional(Type.String()), note: Type.String() })
    const { rows: now } = await migrate(before, { book: rows }, to, { note: 'none' })
    expect(now.book).toMatchObject([{ note: 'none' }, { note: 'x' }])
  })

  test('adds a unique key of some rows, over rows that are the same elsewhere, and takes it away', async () => {
    const some = book({}, { unique: [{ fields: ['title'], where: { note: null } }] })
    const rows = [ink, { ...ink, note: 'x' }, { ...ink, note: 'y' }]
    const { files } = await migrate(before, { book: rows }, some)
    expect(files.map(({ kind }) => kind)).toEqual(isPostgres ? ['concurrently'] : ['ordinary'])
    await expect(database().db.insertInto('book').values(ink).execute()).rejects.toThrow(/unique/i)
  })

  test('creates a table with a unique key of some rows', async () => {
    const some = book({}, { unique: [{ fields: ['title'], where: { note: null } }] })
    await migrate(defineResources({ other: {} }) as Model, {}, some)
    await database()
      .db.insertInto('book')
      .values([ink, { ...ink, note: 'x' }])
      .execute()
    await expect(database().db.insertInto('book').values(ink).execute()).rejects.toThrow(/unique/i)
  })

  test('finds nothing to do for two resources of one table', async () => {
    const kinds = { table: 'book', fields: { title: short } }
    const shared = defineResources({
      novel: { ...kinds, where: { kind: 'novel' } },
      poem: { ...kinds, where: { kind: 'poem' } },
    }) as Model
    const { db } = database()
    await createTables(db, shared)
    expect(await checkTables(db, shared)).toEqual([])
    expect(await generateMigrations(db, shared)).toEqual({ files: [], byHand: [], unfilled: [] })
  })

  test('down leaves null where rows that came in the meantime have none', async () => {
    const { db } = database()
    await createTables(db, before)
    const to = book({ title: Type.Optional(Type.String()) })
    const migrations = await Migrations.in(database(), folder())
    await migrations.add((await generateMigrations(db, to)).files)
    await migrations.up()
    await db.insertInto('book').values({ pages: 1 }).execute()
    await migrations.down()
    expect((await checkTables(db, before)).map(({ kind, column }) => [kind, column])).toEqual([['null', 'title']])
    await migrations.up()
    expect((await sql`select title, pages from book`.execute(db)).rows).toMatchObject([{ title: null }])
  })

  test('renames a column whose field says what it was, with what is over it', async () => {
    const from = book({}, { unique: [['title', 'pages']], index: [['title']] })
    const to = defineResources({
      book: {
        fields: { name: field(short, { was: 'title' }), pages: Type.Integer() },
        unique: [['name', 'pages']],
        index: [['name']],
      },
    }) as Model
    const { files, rows } = await migrate(from, { book: [ink] }, to)
    expect(files).toHaveLength(1)
    expect(rows.book).toMatchObject([{ name: 'Ink', pages: 4 }])
  })

  test('lets columns and tables be that no descriptor names, and lets columns be null', async () => {
    const from = defineResources({ book: { fields }, shelf: {} }) as Model
    const to = defineResources({ book: { fields: { title: Type.String() } } }) as Model
    const { files, rows } = await migrate(from, { book: [ink] }, to)
    expect(files[0]?.statements).toEqual(['ALTER TABLE "book" ALTER COLUMN "pages" DROP NOT NULL'])
    expect(rows.book).toMatchObject([ink])
    await createStore({ db: database().db, resources: to }).resource('book').create({ title: 'New' })
  })

  test('adds unique keys and indexes, and removes keys that the descriptors had', async () => {
    const from = book({}, { unique: [['title']] })
    const to = book({ note: field(Type.Optional(short), { index: true }) as never }, { unique: [['pages']] })
    const { files } = await migrate(from, { book: [ink, { title: 'Pen', pages: 5 }] }, to)
    expect(files.map(({ kind }) => kind)).toEqual(isPostgres ? ['ordinary', 'concurrently'] : ['rebuild', 'ordinary'])
    await database()
      .db.insertInto('book')
      .values({ ...ink, pages: 6 })
      .execute()
  })

  test('swaps in one request need a deferrable key, also one that is added', async () => {
    const fieldOf = { isOpen: Type.Boolean() }
    const from = book(fieldOf)
    const to = book(fieldOf, { unique: [['pages', 'isOpen']] })
    await migrate(from, { book: [{ ...ink, isOpen: isPostgres ? true : 1 }] }, to)
    const { rows } = await sql<{ how: boolean }>`select ${
      isPostgres ? sql`condeferrable from pg_constraint where conname = 'book_pages_isOpen_key'` : sql`1 as how`
    }`.execute(database().db)
    expect(rows).toHaveLength(1)
  })

  test('adds resources and relations, and changes their kind', async () => {
    const related = (author: ReturnType<typeof knows.one> | ReturnType<typeof needs.one>) =>
      defineResources({ book: { fields, relations: { author } }, author: {} } as never) as Model
    const [knowing, needing] = [related(knows.one('author')), related(needs.one('author'))]
    const { rows } = await migrate(
      defineResources({ book: { fields }, author: {} }) as Model,
      { author: [{ id: 7 }], book: [ink] },
      defineResources({
        book: {
          fields,
          relations: { author: knows.one('author'), chapters: owns.many('chapter'), fans: knows.many('author') },
        },
        chapter: { fields: { text: Type.String() }, relations: { book: ownedBy('book') } },
        author: {},
      }) as Model,
    )
    expect(rows.book).toMatchObject([{ ...ink, authorId: null }])
    expect((await generateMigrations(database().db, needing)).unfilled).toMatchObject([{ field: 'book.author' }])
    const required = await generateMigrations(database().db, needing, { fill: { author: 7 } })
    const migrations = await Migrations.in(database(), folder())
    await sql`delete from kysely_migration`.execute(database().db)
    await migrations.add(required.files)
    await migrations.up()
    expect((await checkTables(database().db, needing)).filter(({ kind }) => kind !== 'extra foreign key')).toEqual([])
    const { rows: now } = await sql<{ authorId: unknown }>`select "authorId" from book`.execute(database().db)
    expect(now.map(({ authorId }) => Number(authorId))).toEqual([7])
    await migrations.down()
    expect((await checkTables(database().db, knowing)).filter(({ kind }) => kind !== 'extra foreign key')).toEqual([])
  })

  test('makes a foreign key of a field that is a relation now', async () => {
    const from = defineResources({ book: { fields: { ...fields, authorId: Type.Integer() } }, author: {} }) as Model
    const to = defineResources({ book: { fields, relations: { author: needs.one('author') } }, author: {} }) as Model
    const { files, rows } = await migrate(from, { author: [{ id: 7 }], book: [{ ...ink, authorId: 7 }] }, to)
    expect(files.map(({ kind }) => kind)).toEqual(isPostgres ? ['ordinary', 'concurrently'] : ['rebuild', 'ordinary'])
    expect(rows.book).toMatchObject([{ ...ink, id: expect.anything() }])
    const insert = database()
      .db.insertInto('book')
      .values({ ...ink, authorId: 8 })
      .execute()
    await expect(insert).rejects.toThrow(/foreign key/i)
  })

  test('has the database do nothing to rows whose target is deleted', async () => {
    const { db } = database()
    const related = (author: object) =>
      defineResources({ book: { fields, relations: { author } }, author: {} } as never) as Model
    const from = related(knows.one('author'))
    const to = related(needs.one('author', { optional: true }))
    await createTables(db, defineResources({ author: {} }) as Model)
    const id = isPostgres ? 'bigserial primary key' : 'integer primary key autoincrement'
    const key = isPostgres ? 'bigint' : 'integer'
    await sql
      .raw(`create table book (id ${id}, title text not null, pages ${key} not null, note text,
      "authorId" ${key} references author (id) on delete set null deferrable initially deferred)`)
      .execute(db)
    await sql`create index book_author on book ("authorId")`.execute(db)
    const { files } = await migrate(from, { author: [{ id: 7 }], book: [{ ...ink, authorId: 7 }] }, to)
    expect(files.map(({ kind }) => kind)).toEqual(isPostgres ? ['ordinary', 'concurrently'] : ['rebuild'])
    await expect(sql`delete from author`.execute(db)).rejects.toThrow(/foreign key/i)
  })

  test('widens types that can keep all values', async () => {
    const to = book({ pages: Type.String() })
    const { rows } = await migrate(before, { book: [ink, { ...ink, pages: -5 }] }, to)
    expect(rows.book).toMatchObject([{ pages: '4' }, { pages: '-5' }])
  })

  if (isPostgres)
    test('widens more types of PostgreSQL', async () => {
      const given = {
        ...{ day: Type.String({ format: 'date' }), text: Type.String(), ratio: Type.Number() },
        ...{ date: Type.String({ format: 'date' }), count: Type.Integer(), isNew: Type.Boolean() },
      }
      const json = { text: Type.Any(), ratio: Type.Any(), date: Type.Any(), count: Type.Any(), isNew: Type.Any() }
      const to = book({ day: Type.String(), pages: Type.Number(), ...json })
      const row = { ...ink, day: '2026-01-31', text: "it's", ratio: 0.1, date: '2026-01-31', count: -7, isNew: true }
      await migrate(book(given), { book: [row] }, to)
      expect(await createStore({ db: database().db, resources: to }).resource('book').find(1)).toMatchObject(row)
    })

  test('says in a comment what would lose data, or what only a person knows', async () => {
    const { db } = database()
    await createTables(db, before)
    await db.insertInto('book').values(ink).execute()
    const to = defineResources({
      book: {
        id: 'uuid',
        fields: { title: Type.Boolean(), pages: Type.Integer(), more: Type.Optional(Type.String()) },
        relations: { shelf: ownedBy('shelf') },
      },
      shelf: { relations: { books: owns.many('book') } },
    }) as Model
    const { files, byHand } = await generateMigrations(db, to)
    expect(byHand).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/book\.title is of type text/i),
        expect.stringMatching(/book\.id is of type/),
        expect.stringMatching(/book\.shelfId of relation book\.shelf is missing.*Only you know which record owns/),
      ]),
    )
    expect(files).toHaveLength(1)
    for (const note of byHand) expect(files[0]?.source).toContain(`// By hand: ${note}`)
    expect(files[0]?.statements.join()).not.toMatch(/DROP (?:TABLE|COLUMN)|title/)
  })

  test('names and values may hold quotes, comments and ends of lines', async () => {
    const odd = `a\`\${b}"\n*/;\\\u2028'--`
    const from = defineResources({ book: { table: odd, fields: { [odd]: Type.Optional(Type.String()) } } }) as Model
    const to = defineResources({
      book: {
        table: odd,
        fields: { [odd]: field(Type.String(), { default: odd }), more: Type.String() },
      },
    }) as Model
    const { rows } = await migrate(from, { [odd]: [{ [odd]: null }] }, to, { more: odd })
    expect(rows[odd]).toMatchObject([{ [odd]: odd, more: odd }])
  })
})

describeOnBoth('generateMigrations of the index of a search', (setup) => {
  const isPostgres = setup.name === 'postgres'
  const { database, migrate } = useMigrations(setup)
  const searched = (fields: readonly string[]) => book({}, { search: { fields, index: true } })
  const foundBy = async (model: Model, search: string) =>
    (await createStore({ db: database().db, resources: model }).resource('book').list({ search })).count

  test('makes it for the rows that there are, on PostgreSQL beside the writes of others', async () => {
    const to = searched(['title', 'note'])
    const { files } = await migrate(before, { book: [ink] }, to)
    const created = files.map(({ kind, statements }) => [kind, statements.filter((one) => /^CREATE/.test(one))])
    const index = (column: string) =>
      `CREATE INDEX CONCURRENTLY IF NOT EXISTS "book_${column}_trgm_idx" ON "book" USING gin (lower("${column}"::text COLLATE "pg_c_utf8") gin_trgm_ops)`
    if (isPostgres) {
      expect(created).toEqual([
        ['ordinary', ['CREATE EXTENSION IF NOT EXISTS pg_trgm']],
        ['concurrently', [index('title'), index('note')]],
      ])
    } else expect(created).toMatchObject([['ordinary', { length: 5 }]])
    expect(await foundBy(to, 'INK')).toBe(1)
  })

  test('drops what the model has no longer', async () => {
    const to = searched(['note'])
    const fewer = await migrate(searched(['title', 'note']), { book: [{ ...ink, note: 'A Note' }] }, to)
    if (isPostgres)
      expect(fewer.files.map(({ statements }) => statements)).toEqual([['DROP INDEX IF EXISTS "book_title_trgm_idx"']])
    expect([await foundBy(to, 'ink'), await foundBy(to, 'not')]).toEqual([0, 1])
  })

  test('drops all of it', async () => {
    const { files } = await migrate(searched(['title']), { book: [ink] }, before)
    const dropped = files.flatMap(({ statements }) => statements)
    expect(
      dropped.every((one) => /^DROP (?:INDEX|TRIGGER|TABLE) IF EXISTS "(?:book|crud_search_book)_/.test(one)),
    ).toBe(true)
    expect(dropped).toHaveLength(isPostgres ? 1 : 5)
  })

  test('keeps it where its column gets a new name', async () => {
    const { title, ...others } = fields
    const search = { fields: ['name'], index: true }
    const to = defineResources({
      book: { fields: { name: field(Type.String({ maxLength: 50 }), { was: 'title' }), ...others }, search },
    } as never) as Model
    const { files } = await migrate(searched(['title']), { book: [ink] }, to)
    if (isPostgres)
      expect(files.flatMap(({ statements }) => statements).filter((one) => /INDEX|trgm/.test(one))).toEqual([])
    expect(await foundBy(to, 'ink')).toBe(1)
  })
})
