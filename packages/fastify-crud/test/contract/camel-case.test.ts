import { CamelCasePlugin, sql } from 'kysely'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { idsOfKind } from '../../../../test/support/test-ids.ts'
import { testEveryRelation } from './every-relation.ts'
import { library } from './models/library.ts'

describeOnBoth('a Kysely instance with `CamelCasePlugin`', (database) => {
  const service = useApp(database, library, { kysely: [new CamelCasePlugin()] })
  testEveryRelation(service)

  test('the columns are in snake case', async () => {
    await service.add('/api/author', { firstName: 'A' })
    expect((await service.snapshot()).author?.[0]).toMatch(/"first_name":"A"/)
  })
})

/** Made without Kysely: whatever the plugin makes of names, these are the ones in the database. */
async function createSnakeCaseTables({ name, db }: OpenDatabase): Promise<void> {
  const sqlite = name === 'sqlite'
  const id = sqlite ? 'id integer primary key autoincrement' : 'id serial primary key'
  const boolean = sqlite ? 'integer' : 'boolean'
  const json = sqlite ? 'text' : 'jsonb'
  const double = sqlite ? 'real' : 'double precision'
  const statements = [
    `create table publisher (${id}, full_name text not null, founded_on ${sqlite ? 'text' : 'date'})`,
    `create table author (${id}, first_name text not null)`,
    `create table tag (${id}, tag_name text not null)`,
    `create table book (${id}, main_title text not null unique, unit_price ${double}, is_out ${boolean} not null,
      extra_data ${json}, main_publisher_id integer not null references publisher (id),
      next_book_id integer references book (id))`,
    `create table cover (${id}, image_url text not null, book_id integer not null unique references book (id))`,
    `create table chapter (${id}, main_title text not null, page_count integer,
      book_id integer not null references book (id), chief_editor_id integer references author (id),
      unique (book_id, main_title))`,
    `create table book_authors (book_id integer not null references book (id),
      author_id integer not null references author (id), primary key (book_id, author_id))`,
    `create table book_book_tags (book_id integer not null references book (id),
      tag_id integer not null references tag (id), primary key (book_id, tag_id))`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

describeOnBoth('`CamelCasePlugin` over tables made by hand', (database) => {
  const service = useApp(database, library, { kysely: [new CamelCasePlugin()], tables: createSnakeCaseTables })
  testEveryRelation(service, idsOfKind('integer'))
})
