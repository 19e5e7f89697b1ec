import { Type } from '@sinclair/typebox'
import { checkTables, createTables, defineResources, knows, ownedBy, owns } from 'fastify-crud'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { buildApp, type TestApp } from '../../../../test/support/app.ts'
import { describeOnDatabases } from '../../../../test/support/describe-on-databases.ts'

const model = defineResources({
  book: {
    fields: { title: Type.String() },
    relations: { chapters: owns.many('chapter'), tags: knows.many('book') },
    unique: [['title']],
  },
  chapter: { fields: { text: Type.String() }, relations: { book: ownedBy('book') } },
})

const DO = {
  nothing: 'do instead nothing',
  other: "do instead insert into other (text) values ('x')",
  also: "do also insert into other (text) values ('x')",
  sometimes: "where true do instead insert into other (text) values ('x')",
}

describeOnDatabases('a table with a rule (CREATE RULE)', (setup) => {
  if (setup.name === 'sqlite') return test('does not exist on SQLite', () => {})

  async function withRule(table: string, event: string, does: string, run: (app: TestApp) => Promise<void>) {
    const app = await buildApp(setup, model, { tables: ({ db }) => createTables(db, model), plugin: { tables: 'off' } })
    try {
      await sql`create table other (text text)`.execute(app.db)
      await app.add('/api/book', { title: 'old', chapters: [{ text: 'one' }] })
      await sql.raw(`create rule r as on ${event} to ${table} ${does}`).execute(app.db)
      await run(app)
    } finally {
      await app.close()
    }
  }

  const refused = { code: 'CRUD_ERR_REFUSED' } as const

  test.each(Object.values(DO))('for INSERT refuses new records: %s', async (does) => {
    await withRule('book', 'insert', does, async (app) => {
      const before = await app.snapshot(['book', 'chapter'])
      const answers = [
        await app.post('/api/book', { title: 'new' }),
        await app.post('/api/book', { title: 'new', chapters: [{ text: 'a' }, { text: 'b' }] }),
        await app.post('/api/book', [{ title: 'new' }, { title: 'newer' }]),
        await app.put('/api/book?by=title', [{ title: 'new' }, { title: 'newer' }]),
      ]
      for (const { status, body } of answers) expect([status, body.code]).toEqual([409, 'CRUD_ERR_REFUSED'])
      expect(await app.snapshot(['book', 'chapter'])).toEqual(before)
      expect((await app.patch('/api/book/1', { title: 'other' })).status).toBe(200)
    })
  })

  test('of an owned table refuses the owner with it', async () => {
    await withRule('chapter', 'insert', DO.nothing, async (app) => {
      await app.refuse('POST', '/api/book', { title: 'new', chapters: [{ text: 'a' }] }, refused)
      await app.add('/api/book', { title: 'without', chapters: [] })
    })
  })

  test.each([
    ['insert', DO.nothing, 'error', 'does something else in the place of each INSERT'],
    ['update', DO.other, 'error', 'does something else in the place of each UPDATE'],
    ['delete', DO.nothing, 'warning', 'does something else in the place of each DELETE'],
    ['insert', DO.also, 'warning', 'does more than each INSERT'],
  ])('for %s is found by checkTables: %s', async (event, does, severity, words) => {
    await withRule('book', event, does, async ({ db }) => {
      const advice = 'make it a trigger, or declare writable: false, if requests only read the table'
      const message = `the table book has a rule, r, which ${words}, so requests are refused: ${advice}`
      expect(await checkTables(db, model)).toEqual([{ kind: 'table', severity, table: 'book', found: 'rule', message }])
      await sql`alter table book disable rule r`.execute(db)
      expect(await checkTables(db, model)).toEqual([])
      await sql`alter table book enable rule r`.execute(db)
      const read = defineResources({ book: { fields: { title: Type.String() }, writable: false } })
      expect(await checkTables(db, read)).toEqual([])
    })
  })
})
