import { Type } from '@sinclair/typebox'
import { createTables, defineResources, knows, ownedBy, owns } from 'fastify-crud'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { type OpenDatabase, setups } from '../../../../test/support/databases.ts'
import { describeOnDrivers } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { skipBy } from '../../../../test/support/trigger.ts'

const text = Type.String()

const resources = defineResources({
  order: {
    fields: { name: text, note: Type.Optional(text) },
    relations: { lines: owns.many('line'), tags: knows.many('tag') },
    unique: [['name']],
  },
  line: { fields: { text }, relations: { order: ownedBy('order') } },
  tag: { id: 'text', fields: { name: text } },
  note: { id: 'uuid', fields: { text }, softDelete: 'deletedAt' },
})

async function createTablesThatSkip(database: OpenDatabase): Promise<void> {
  await createTables(database.db, resources)
  for (const on of ['insert', 'update'] as const) {
    await skipBy(database, { table: 'order', on, when: "new.name = 'skipped'" })
    await skipBy(database, { table: 'line', on, when: "new.text = 'skipped'" })
    await skipBy(database, { table: 'note', on, when: "new.text = 'skipped'" })
  }
  await skipBy(database, { table: 'order', on: 'delete', when: "old.name = 'kept'" })
  await skipBy(database, { table: 'line', on: 'delete', when: "old.text = 'kept'" })
  await skipBy(database, { table: 'tag', on: 'insert', when: "new.id = 'skipped'" })
  await skipBy(database, { table: 'order_tags', on: 'insert', when: `new."tagId" = 'unwanted'` })
  // Of a row that is deleted softly, or comes back.
  await skipBy(database, { table: 'note', on: 'delete', when: "old.text = 'kept'" })
}

const code = 'CRUD_ERR_REFUSED'

describeOnDrivers('a row that the database leaves out without an error', (database) => {
  const service = useApp(database, resources, { tables: createTablesThatSkip })
  let order: JsonBody

  beforeEach(async () => {
    await service.add('/api/tag', { id: 'good', name: 'g' })
    await service.add('/api/tag', { id: 'unwanted', name: 'u' })
    order = await service.add('/api/order', { name: 'good', lines: [{ text: 'a' }, { text: 'kept' }] })
  })

  const everything = async () => ({
    orders: (await service.read('/api/order?include=lines,tags')).rows,
    tags: (await service.read('/api/tag')).rows,
    notes: (await service.read('/api/note')).rows,
  })

  async function refuses(method: string, path: string, body: unknown, pointers: string[]): Promise<void> {
    const before = await everything()
    await service.refuse(method, path, body, { code, pointers })
    expect(await everything()).toEqual(before)
  }

  test('of a POST is 409, be it the record, one that it owns, or a link', async () => {
    await refuses('POST', '/api/order', { name: 'skipped' }, [''])
    await refuses('POST', '/api/order', { name: 'b', lines: [{ text: 'x' }, { text: 'skipped' }] }, ['/lines/1'])
    await refuses('POST', '/api/order', { name: 'b', lines: [{ text: 'skipped' }] }, ['/lines/0'])
    await refuses('POST', '/api/order', { name: 'b', tags: [{ id: 'good' }, { id: 'unwanted' }] }, ['/tags/1/id'])
    await refuses('POST', '/api/tag', { id: 'skipped', name: 's' }, [''])
    await refuses('POST', '/api/note', { text: 'skipped' }, [''])
    await refuses('POST', `/api/order/${order.id}/line`, { text: 'skipped' }, [''])
  })

  test('of an array is 409, and none of its records is stored', async () => {
    await refuses('POST', '/api/order', [{ name: 'b' }, { name: 'skipped' }], ['/1'])
    await refuses(
      'POST',
      '/api/tag',
      [
        { id: 'b', name: 'b' },
        { id: 'skipped', name: 's' },
      ],
      ['/1'],
    )
    const many = Array.from({ length: 40 }, (_, index) => ({ text: index === 30 ? 'skipped' : `t${index}` }))
    await refuses('POST', '/api/note', many, ['/30'])
    await refuses('POST', `/api/order/${order.id}/line`, many, ['/30'])
    await refuses('PATCH', '/api/order', [{ id: order.id, name: 'skipped' }], ['/0'])
    await refuses('PUT', '/api/order?by=name', [{ name: 'good', lines: order.lines }, { name: 'skipped' }], ['/1'])
  })

  test('of a change is 409, be it the record or what it owns', async () => {
    const path = `/api/order/${order.id}`
    await refuses('PATCH', path, { name: 'skipped' }, [''])
    await refuses('PATCH', path, { name: 'skipped', lines: [] }, [''])
    await refuses('PUT', path, { name: 'skipped', lines: order.lines }, [''])
    await refuses('PUT', path, { name: 'good', lines: [{ ...order.lines[0], text: 'skipped' }, order.lines[1]] }, [
      '/lines/0',
    ])
    await refuses('PATCH', path, { lines: [...order.lines, { text: 'skipped' }] }, ['/lines/2'])
    await refuses('PATCH', `${path}/line/${order.lines[0].id}`, { text: 'skipped' }, [''])
    await refuses('PATCH', path, { tags: [{ id: 'unwanted' }] }, ['/tags/0/id'])
  })

  test('of a DELETE is 409, be it the record or what it owns', async () => {
    await refuses('DELETE', `/api/order/${order.id}/line/${order.lines[1].id}`, undefined, [''])
    await refuses('PUT', `/api/order/${order.id}`, { name: 'good', lines: [] }, [''])
    const kept = await service.add('/api/order', { name: 'kept' })
    await refuses('DELETE', `/api/order/${kept.id}`, undefined, [''])
  })

  test('of a record that is deleted softly is 409', async () => {
    const note = await service.add('/api/note', { text: 'a' })
    await sql`drop trigger ${sql.raw(database.name === 'sqlite' ? 'skip_note_update' : 'skip_note_update on note')}`.execute(
      service.db,
    )
    await service.patch(`/api/note/${note.id}`, { text: 'skipped' })
    if (database.name === 'sqlite')
      await sql
        .raw(
          `create trigger skip_note_update before update on note when new.text = 'skipped' begin select raise(ignore); end`,
        )
        .execute(service.db)
    else
      await sql
        .raw(
          `create trigger skip_note_update before update on note for each row when (new.text = 'skipped') execute function skip_note_update()`,
        )
        .execute(service.db)
    await refuses('DELETE', `/api/note/${note.id}`, undefined, [''])
  })

  test('a link that was there already is no row left out', async () => {
    await service.patch(`/api/order/${order.id}`, { tags: [{ id: 'good' }] })
    expect((await service.patch(`/api/order/${order.id}`, { tags: [{ id: 'good' }] })).status).toBe(200)
    expect((await service.read(`/api/order/${order.id}`)).tags).toEqual([{ id: 'good', name: 'g' }])
  })
})

describe.each(setups.filter(({ name }) => name === 'sqlite'))('a view that triggers write ($title)', (database) => {
  const model = defineResources({ book: { id: 'text', fields: { title: text } } })
  const service = useApp(database, model, {
    plugin: { tables: 'warn' },
    async tables({ db }) {
      await createTables(db, model)
      for (const statement of [
        'alter table book rename to books',
        'create view book as select * from books',
        'create trigger book_insert instead of insert on book begin insert into books (id, title) values (new.id, new.title); end',
        'create trigger book_update instead of update on book begin update books set title = new.title where id = old.id; end',
        'create trigger book_delete instead of delete on book begin delete from books where id = old.id; end',
      ])
        await sql.raw(statement).execute(db)
    },
  })

  test('is written as a table is', async () => {
    expect(await service.add('/api/book', { id: 'a', title: 'x' })).toMatchObject({ id: 'a', title: 'x' })
    expect((await service.patch('/api/book/a', { title: 'y' })).body).toMatchObject({ title: 'y' })
    expect((await service.delete('/api/book/a')).status).toBe(204)
    expect((await service.read('/api/book')).count).toBe(0)
  })
})
