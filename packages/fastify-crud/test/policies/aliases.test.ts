import { Type } from '@sinclair/typebox'
import { createStore, createTables, defineResources, knows, ownedBy, owns } from 'fastify-crud'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { ada, asCaller, caller, type Policies } from './support/as-caller.ts'

const books = defineResources({
  book: { fields: { orgId: Type.Integer() }, relations: { next: knows.one('book'), pages: owns.many('page') } },
  page: { fields: { text: Type.String() }, relations: { book: ownedBy('book') } },
})

describeOnBoth('a policy whose subquery calls a table', (database) => {
  // Statements call the row by some of these names themselves.
  describe.each(['t', 't0', 't1', 'o', 's', 'p', 'a'])('%s', (alias) => {
    const isMember: Policies[string] = ({ eb, my }) =>
      eb.exists(
        eb
          .selectFrom(`member as ${alias}` as never)
          .select(`${alias}.userId` as never)
          .where(`${alias}.userId` as never, '=', my('id', 'integer'))
          .whereRef(`${alias}.orgId` as never, '=', 'book.orgId' as never),
      )
    const service = useApp(database, books, {
      plugin: { caller, policies: { book: { View: isMember, Add: true, Edit: isMember, Delete: isMember } } },
      tables: async ({ db }) => {
        await createTables(db, books)
        await sql`create table member ("userId" integer, "orgId" integer)`.execute(db)
      },
    })
    const client = asCaller(service, ada)

    test('so is still about the row', async () => {
      await sql`insert into member values (1, 1)`.execute(service.db)
      const all = createStore({ db: service.db, resources: books })
      const theirs = await all.book.create({ orgId: 2, pages: [{ text: 'zebra' }] })
      const ours = await all.book.create({ orgId: 1, nextId: theirs.id })
      expect(await client.read('/api/book')).toMatchObject({ rows: [{ id: ours.id, next: null }], count: 1 })
      const unknown = { code: 'CRUD_ERR_UNKNOWN_REFERENCE' } as const
      await client.refuse('POST', '/api/book', { orgId: 1, nextId: theirs.id }, unknown)
      await client.refuse('PATCH', `/api/book/${ours.id}`, { orgId: 2 }, { code: 'CRUD_ERR_FORBIDDEN' })
      const path = `/api/book/${theirs.id}/page`
      await client.refuse('GET', path, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
      await client.refuse('POST', path, { text: 'x' }, { code: 'CRUD_ERR_NOT_FOUND' })
    })
  })
})
