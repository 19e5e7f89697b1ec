import { introspect } from 'fastify-crud'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import { serveIntrospected } from './introspected-service.ts'
import { tryEveryRoute } from './try-every-route.ts'

const TABLES = `
  create table author (id integer primary key, name text not null);
  create table book (id integer primary key, title text not null, password text, price double precision, author_id integer references author);
  create table visit (id integer, seconds integer not null default 5, token text, author_id integer not null references author on delete cascade, book_id integer references book);
  create view books_of as select author.id, author.name, count(book.id) as books, max(price) as "most.expensive" from author
    left join book on author_id = author.id group by author.id, author.name;
  create view secrets as select password from book;
  insert into author values (1, 'Ada'), (2, 'Bo');
  insert into book values (1, 'Emma', 'x', 1.5, 1), (2, 'Ink', null, 2, 1);
  insert into visit values (7, 1, 't', 1, 1), (7, 1, 't', 1, 1), (null, 2, null, 2, null);`

describeOnBoth('introspect', (database) => {
  test('makes lists of views, and of tables without a key', async () => {
    const { service, tables, resources, source, types } = await serveIntrospected(database, TABLES)
    try {
      expect([...tables].sort(([one], [other]) => (one < other ? -1 : 1))).toEqual([
        ['author', { resource: 'author' }],
        ['book', { resource: 'book' }],
        ['books_of', { resource: 'books_of' }],
        ['secrets', { resource: 'secrets' }],
        ['visit', { resource: 'visit' }],
      ])
      const keyless = [...resources.resources.values()].filter(({ hasId }) => !hasId)
      expect(keyless.map(({ key }) => key)).toEqual(['books_of', 'secrets', 'visit'])
      const advice =
        "only its list is served. If a column has no value twice and never null, give it an id: { writable: false, id: 'integer', columns: { id: the column } }"
      expect(source.split(`It is a view, which has no key: ${advice}`)).toHaveLength(3)
      expect(source).toContain(`The table has no primary key, and no unique key without nulls: ${advice}`)
      const books = await service.read('/api/books_of?sort=id_')
      expect(books.rows).toEqual([
        { id_: 1, name: 'Ada', books: 2, most_expensive: 2 },
        { id_: 2, name: 'Bo', books: 0, most_expensive: null },
      ])
      const visits = await service.read('/api/visit?sort=seconds&fields=id_,author.name,book.title')
      expect(visits.rows).toMatchObject([
        { id_: 7, author: { name: 'Ada' }, book: { title: 'Emma' } },
        { id_: 7, author: { name: 'Ada' }, book: { title: 'Emma' } },
        { id_: null, author: { name: 'Bo' }, book: null },
      ])
      expect((await service.read('/api/author/1?include=visit')).visit).toHaveLength(2)
      expect((await service.read('/api/secrets')).rows).toEqual([{}, {}])
      await service.db.deleteFrom('visit').where('author_id', '=', 1).execute()
      await tryEveryRoute(service, [...resources.resources.values()], types)
    } finally {
      await service.close()
    }
  })

  test('leaves out a view that cannot be read, and says why', async () => {
    const open = await database.open()
    try {
      await sql`create table a (id integer primary key)`.execute(open.db)
      await sql`insert into a values (1)`.execute(open.db)
      const broken = open.name === 'postgres' ? '1 / (id - 1)' : `json_extract('{' || id, '$')`
      await sql.raw(`create view broken as select id from a where ${broken} = 1`).execute(open.db)
      const { tables } = await introspect(open.db)
      expect(tables.get('a')).toEqual({ resource: 'a' })
      expect(tables.get('broken')).toEqual({ reason: expect.stringContaining('the rows of broken cannot be read: ') })
    } finally {
      await open.close()
    }
  })
})
