import {
  createStore,
  dbDefault,
  defineResources,
  field,
  knows,
  type Model,
  needs,
  ownedBy,
  owns,
} from '@fastify-crud/core'
import { checkTables, createTables, pushTables } from '@fastify-crud/tables'
import { type TProperties, Type } from '@sinclair/typebox'
import { CamelCasePlugin, sql } from 'kysely'
import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { otherWriter } from '../../../../test/support/other-writer.ts'
import { takeSnapshot } from '../../../../test/support/tables.ts'
import { useDatabase } from '../use-database.ts'

const fields = { title: Type.String(), pages: Type.Integer(), note: Type.Optional(Type.String()) }

const before = defineResources({ book: { fields } }) as Model

describeOnBoth('pushTables', (setup) => {
  const database = useDatabase(setup)

  /** Makes the tables of one model, with rows in them, and changes them to those of another one. */
  async function push(from: Model, rows: Record<string, object[]>, to: Model): Promise<void> {
    const { db } = database()
    await createTables(db, from)
    for (const [table, values] of Object.entries(rows)) await db.insertInto(table).values(values).execute()
    await pushTables(db, to)
    expect(await checkTables(db, to)).toEqual([])
  }

  function books(model: Model): Promise<unknown> {
    return createStore({ db: database().db, resources: model })
      .resource('book')
      .list()
      .then(({ rows }) => rows)
  }

  test('creates tables in an empty database, and then changes nothing', async () => {
    const { db, statements } = database()
    await pushTables(db, before)
    expect(await checkTables(db, before)).toEqual([])
    const again: readonly string[] = await statements.record(() => pushTables(db, before))
    expect(again.filter((one) => /^\s*(?:create|alter|update|insert|begin)/i.test(one))).toEqual([])
  })

  test('adds a field, and keeps all records', async () => {
    const after = defineResources({
      book: {
        fields: {
          ...fields,
          isbn: Type.Optional(Type.String()),
          rank: field(Type.Integer(), { default: 3, index: true }),
        },
      },
    }) as Model
    await push(before, { book: [{ title: 'Ink', pages: 4 }] }, after)
    expect(await books(after)).toEqual([{ id: 1, title: 'Ink', pages: 4, note: null, isbn: null, rank: 3 }])
  })

  test('resolves to the statements that it has run, with their reasons', async () => {
    const { db } = database()
    const after = defineResources({
      book: { fields: { ...fields, isbn: Type.Optional(Type.Integer({ index: true })) }, unique: [['title']] },
      shelf: { fields: { name: Type.String() } },
    }) as Model
    await createTables(db, before)
    const changes = await pushTables(db, after)
    const id = setup.name === 'postgres' ? ', "id"' : ''
    expect(changes).toEqual([
      {
        table: 'shelf',
        reason: 'the table shelf is missing',
        statement: expect.stringMatching(/^create table if not exists "shelf" \(/),
      },
      {
        table: 'book',
        column: 'isbn',
        reason: 'column book.isbn is missing',
        statement: expect.stringMatching(/^ALTER TABLE "book" ADD COLUMN "isbn" \w+$/),
      },
      {
        table: 'book',
        column: 'title',
        reason: 'no unique constraint keeps book (title) unique',
        statement: 'CREATE UNIQUE INDEX "book_title_key" ON "book" ("title")',
      },
      ...(setup.name === 'postgres' ? ['isbn_idx', 'isbn_desc_idx'] : ['isbn_idx']).map((name) => ({
        table: 'book',
        column: 'isbn',
        reason: 'an index of book (isbn) is missing',
        statement: `create index if not exists "book_${name}" ON "book" ("isbn"${name === 'isbn_idx' ? id : ' DESC NULLS LAST, "id" DESC'})`,
      })),
    ])
    expect(await pushTables(db, after)).toEqual([])
  })

  test('resolves to a rename, and to a hint where a new field may have been meant as one', async () => {
    const { db } = database()
    const heading = Type.Optional(Type.String())
    const renamed = { pages: fields.pages, note: fields.note, heading: field(Type.String(), { was: 'title' }) }
    const added = { ...renamed, remark: heading, note: undefined, done: Type.Optional(Type.Boolean()) }
    const { note, ...rest } = added
    await createTables(db, before)
    expect(await pushTables(db, defineResources({ book: { fields: renamed } }) as Model)).toEqual([
      {
        table: 'book',
        column: 'heading',
        reason: 'column book.title has the new name heading',
        statement: 'ALTER TABLE "book" RENAME COLUMN "title" TO "heading"',
      },
    ])
    const changes = await pushTables(db, defineResources({ book: { fields: rest } }) as Model)
    expect(changes.map(({ column, hint }) => [column, hint])).toEqual([
      ['remark', "if book.remark is note under a new name, drop it, and say was: 'note' in its field"],
      ['done', undefined],
    ])
  })

  test('an error about a new required field names the columns that it may have been', async () => {
    const { db } = database()
    await createTables(db, before)
    await db.insertInto('book').values({ title: 'Ink', pages: 4 }).execute()
    const after = defineResources({ book: { fields: { heading: Type.String(), pages: Type.Integer() } } }) as Model
    await expect(pushTables(db, after)).rejects.toThrow("make it optional, or say was: 'title' or was: 'note'")
  })

  test('lets a field that no descriptor names any more be null, and keeps its values', async () => {
    const after = defineResources({ book: { fields: { title: Type.String() } } }) as Model
    await push(before, { book: [{ title: 'Ink', pages: 4 }] }, after)
    const { db } = database()
    await createStore({ db, resources: after }).resource('book').create({ title: 'New' })
    const { rows } = await sql`select title, cast(pages as text) as pages from book order by id`.execute(db)
    expect(rows).toEqual([
      { title: 'Ink', pages: '4' },
      { title: 'New', pages: null },
    ])
  })

  test('makes a field optional, and required again', async () => {
    const optional = defineResources({
      book: {
        fields: { title: Type.Optional(Type.String()), pages: Type.Integer(), note: Type.Optional(Type.String()) },
      },
    }) as Model
    await push(before, { book: [{ title: 'Ink', pages: 4 }] }, optional)
    await pushTables(database().db, before)
    expect(await checkTables(database().db, before)).toEqual([])
  })

  test('renames the column of a field that says what it was, and indexes it', async () => {
    const after = defineResources({
      book: {
        fields: {
          name: field(Type.String({ maxLength: 50 }), { was: 'title', index: true }),
          pages: Type.Integer(),
          note: Type.Optional(Type.String()),
        },
        unique: [['name', 'pages']],
      },
    }) as Model
    await push(before, { book: [{ title: 'Ink', pages: 4 }] }, after)
    expect(await books(after)).toEqual([{ id: 1, name: 'Ink', pages: 4, note: null }])
    // The name counts only while the column is there.
    await pushTables(database().db, after)
    expect(await books(after)).toEqual([{ id: 1, name: 'Ink', pages: 4, note: null }])
  })

  test('renames a column once, for the first of two fields that say they were it', async () => {
    const was = { was: 'title' }
    const two = { one: field(Type.String(), was), two: field(Type.Optional(Type.String()), was) }
    const after = defineResources({ book: { fields: { ...two, pages: Type.Integer() } } }) as Model
    await push(before, { book: [{ title: 'Ink', pages: 4 }] }, after)
    expect(await books(after)).toEqual([{ id: 1, one: 'Ink', two: null, pages: 4 }])
  })

  test('adds resources, relations, links and unique keys', async () => {
    const after = defineResources({
      book: {
        fields,
        relations: {
          chapters: owns.many('chapter'),
          author: needs.one('author', { optional: true }),
          series: knows.one('series'),
          tags: knows.many('series', { through: 'book_tag' }),
        },
        unique: [['title']],
      },
      chapter: { fields: { text: Type.String() }, relations: { book: ownedBy('book') } },
      author: { fields: { name: Type.String() } },
      series: { fields: { name: Type.String() } },
    }) as Model
    await push(before, { book: [{ title: 'Ink', pages: 4 }] }, after)
    expect(await books(after)).toEqual([
      {
        ...{ id: 1, title: 'Ink', pages: 4, note: null, chapters: [], tags: [] },
        ...{ authorId: null, author: null, seriesId: null, series: null },
      },
    ])
  })

  test('adds a required field without a default to a table without rows, and refuses it in one with rows', async () => {
    const after = defineResources({
      book: {
        fields: { ...fields, isbn: Type.String(), other: Type.Optional(Type.String()) },
      },
    }) as Model
    const { db, name } = database()
    await createTables(db, before)
    await db.insertInto('book').values({ title: 'Ink', pages: 4 }).execute()
    const all = await takeSnapshot(name, db)
    const refused = pushTables(db, after)
    await expect(refused).rejects.toThrow(/cannot be changed safely:\n- column book\.isbn is missing/)
    expect(await takeSnapshot(name, db)).toEqual(all)
    expect((await checkTables(db, after)).map(({ column }) => column)).toEqual(['isbn', 'other'])
    await db.deleteFrom('book').execute()
    await pushTables(db, after)
    expect(await checkTables(db, after)).toEqual([])
  })

  test('refuses a unique key that rows break, and a type that does not keep the values, with the reason', async () => {
    const { db } = database()
    await createTables(db, before)
    const twice = { title: 'Ink', pages: 4 }
    await db.insertInto('book').values([twice, twice]).execute()
    const unique = defineResources({
      book: {
        fields,
        unique: [['title']],
      },
    }) as Model
    await expect(pushTables(db, unique)).rejects.toThrow(
      /no unique constraint keeps book \(title\) unique.*, which failed: /,
    )
    const otherType = defineResources({
      book: { fields: { title: Type.Boolean(), pages: Type.Integer(), note: Type.Optional(Type.String()) } },
    }) as Model
    await expect(pushTables(db, otherType)).rejects.toThrow(/book\.title is of type text/i)
    expect(await checkTables(db, before)).toEqual([])
  })

  test('refuses null in rows where a field is required now', async () => {
    const { db } = database()
    await createTables(db, before)
    await db.insertInto('book').values({ title: 'Ink', pages: 4, note: null }).execute()
    const after = defineResources({
      book: { fields: { title: Type.String(), pages: Type.Integer(), note: Type.String() } },
    }) as Model
    await expect(pushTables(db, after)).rejects.toThrow(
      /book\.note allows null, but the model does not.*, which failed/,
    )
    expect(await checkTables(db, before)).toEqual([])
  })

  test('several processes may call it at once', async () => {
    const { db } = database()
    await createTables(db, before)
    const after = defineResources({
      book: {
        fields: {
          title: field(Type.String(), { default: 'none' }),
          pages: Type.Integer(),
          note: Type.Optional(Type.String()),
          more: Type.Optional(Type.String()),
        },
      },
      shelf: { fields: { name: Type.String() } },
    }) as Model
    await Promise.all([pushTables(db, after), pushTables(db, after), pushTables(db, after)])
    expect(await checkTables(db, after)).toEqual([])
  })

  test('uses the names that the instance gives to columns', async () => {
    const { db } = database()
    const camel = db.withPlugin(new CamelCasePlugin())
    const first = defineResources({ bookShelf: { fields: { shelfName: Type.String() } } }) as Model
    const second = defineResources({
      bookShelf: {
        fields: { longName: field(Type.String(), { was: 'shelfName' }), placedAt: Type.Optional(Type.String()) },
      },
    }) as Model
    await createTables(camel, first)
    await pushTables(camel, second)
    expect(await checkTables(camel, second)).toEqual([])
    const { rows } = await sql`select long_name, placed_at from book_shelf`.execute(db)
    expect(rows).toEqual([])
  })

  test('what only the database can give is not its affair', async () => {
    const { db } = database()
    await createTables(db, before)
    const after = defineResources({
      book: {
        fields: { ...fields, number: field(Type.Integer(), { default: dbDefault }) },
      },
    }) as Model
    await db.insertInto('book').values({ title: 'Ink', pages: 4 }).execute()
    await expect(pushTables(db, after)).rejects.toThrow(/book\.number is missing/)
  })

  test('works on while a service runs: kept statements see the new column', async () => {
    const { db } = database()
    await createTables(db, before)
    const store = createStore({ db, resources: before }).resource('book')
    const { id } = await store.create({ title: 'Ink', pages: 4 })
    await store.find(id)
    await store.find(id)
    const after = defineResources({
      book: {
        fields: { ...fields, more: field(Type.String(), { default: 'x' }) },
      },
    }) as Model
    await pushTables(db, after)
    expect(await store.find(id)).toEqual({ id, title: 'Ink', pages: 4, note: null })
    expect(await store.replace(id, { title: 'New', pages: 5 })).toEqual({ id, title: 'New', pages: 5, note: null })
    expect(await createStore({ db, resources: after }).resource('book').find(id)).toMatchObject({ more: 'x' })
  })

  test('names and defaults may hold quotes, semicolons and ends of lines', async () => {
    const odd = `a";\nb';`
    const nullable = defineResources({ book: { table: odd, fields: { [odd]: Type.Optional(Type.String()) } } })
    const required = defineResources({
      book: {
        table: odd,
        fields: {
          [odd]: field(Type.String(), { default: odd }),
          more: field(Type.String(), { default: `x';\ndrop table nothing;\n` }),
        },
      },
    })
    const { db } = database()
    await createTables(db, nullable as Model)
    await db
      .insertInto(odd)
      .values({ [odd]: null })
      .execute()
    await pushTables(db, required as Model)
    expect((await checkTables(db, required as Model)).filter(({ severity }) => severity === 'error')).toEqual([])
    expect(await books(required as Model)).toEqual([{ id: 1, [odd]: odd, more: `x';\ndrop table nothing;\n` }])
  })

  test('processes with models that differ may call it at once: each finds what it needs', async () => {
    const { db } = database()
    await createTables(db, before)
    const withMore = (name: string) =>
      defineResources({
        book: {
          fields: {
            title: Type.String(),
            pages: Type.Integer(),
            note: Type.Optional(Type.String()),
            [name]: Type.Optional(Type.Integer()),
          },
          unique: [['title', name]],
        },
        [`shelf_${name}`]: { fields: { name: Type.String() } },
      }) as Model
    const models = ['one', 'two', 'three'].map(withMore)
    await Promise.all(models.map((model) => pushTables(db, model)))
    for (const model of models) {
      expect((await checkTables(db, model)).filter(({ severity }) => severity === 'error')).toEqual([])
    }
  })

  test('waits for a transaction that has written to the table', async () => {
    const { db } = database()
    await createTables(db, before)
    const after = defineResources({
      book: {
        fields: {
          title: Type.String(),
          pages: Type.Integer(),
          note: Type.Optional(Type.String()),
          more: field(Type.Integer(), { default: 7 }),
        },
      },
    }) as Model
    const other = await otherWriter(database())
    await other.run(`insert into book (title, pages) values ('Ink', 4)`)
    await Promise.all([pushTables(db, after), other.untilAwaited().then(() => other.end('commit'))])
    expect(await checkTables(db, after)).toEqual([])
    expect(await books(after)).toEqual([{ id: 1, title: 'Ink', pages: 4, note: null, more: 7 }])
  })

  // SQLite lets one transaction write at a time.
  if (setup.name === 'postgres') {
    test('begins anew where it and another transaction wait for each other', async () => {
      const { db } = database()
      const of = (fields: TProperties) => defineResources({ first: { fields }, second: { fields } }) as Model
      await createTables(db, of({ name: Type.String() }))
      const other = await otherWriter(database())
      await other.run(`insert into second (name) values ('x')`)
      const after = of({ name: Type.String(), more: Type.Optional(Type.String()) })
      const pushed = pushTables(db, after)
      await other.untilAwaited()
      // PostgreSQL ends the one that waits when it looks for deadlocks, a second after it began to wait: on a slow machine, that is the other.
      const isEnded = (error: unknown) => (error as { code?: unknown }).code === '40P01'
      const goesOn = other.run(`insert into first (name) values ('x')`).then(
        () => other.end('commit'),
        (error: unknown) => (isEnded(error) ? other.end('rollback') : Promise.reject(error)),
      )
      await Promise.all([pushed, goesOn])
      expect(await checkTables(db, after)).toEqual([])
    })
  }
})
