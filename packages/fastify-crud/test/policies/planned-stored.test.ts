import { Type } from '@sinclair/typebox'
import { createStore, createTables, defineResources, ownedBy, owns } from 'fastify-crud'
import { sql } from 'kysely'
import { beforeEach, describe, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { ada, asCaller, caller, type Policies } from './support/as-caller.ts'

const books = defineResources({
  book: { fields: { orgId: Type.Integer() }, relations: { chapters: owns.many('chapter') } },
  chapter: {
    fields: { slug: Type.String(), orgId: Type.Optional(Type.Integer({ writeOnly: true })) },
    relations: { book: ownedBy('book') },
    unique: [['slug']],
  },
})

const ofMyOrg: Policies[string] = ({ eb, my }) => eb('orgId', '=', my('org'))

const taken = { code: 'CRUD_ERR_NOT_UNIQUE' } as const
const forbidden = { code: 'CRUD_ERR_FORBIDDEN' } as const

describeOnBoth('a planned row', (database) => {
  const rules: Policies = {
    'its owner': ({ can, eb }) => can('View', 'book', eb.ref('bookId')),
    'its owner, in SQL text': ({ my }) =>
      sql<boolean>`exists (select 1 from book where book.id = chapter."bookId" and book."orgId" = ${my('org', 'integer')})`,
    'a write-only field': ofMyOrg,
  }

  describe.each(Object.entries(rules))('whose policy asks about %s', (_, chapter) => {
    const service = useApp(database, books, { plugin: { caller, policies: { book: ofMyOrg, chapter } as Policies } })
    const client = asCaller(service, ada)
    let book: JsonBody

    beforeEach(async () => {
      const chapters = [
        { slug: 'a', orgId: 1 },
        { slug: 'taken', orgId: 1 },
      ]
      book = await createStore({ db: service.db, resources: books }).book.create({ orgId: 1, chapters })
    })

    test('has what is stored where a write does not change it: 409', async () => {
      const path = `/api/book/${book.id}`
      const [{ id }] = book.chapters
      await client.refuse('PATCH', `${path}/chapter/${id}`, { slug: 'taken' }, taken)
      await client.refuse('PUT', `${path}/chapter/${id}`, { slug: 'taken' }, taken)
      await client.refuse('PATCH', path, { chapters: [{ id, slug: 'taken' }] }, taken)
      await client.refuse('POST', `${path}/chapter`, { slug: 'taken', orgId: 1 }, taken)
    })
  })

  describe('whose policy asks about a column that the model does not have', () => {
    const tenant: Policies[string] = ({ eb, my }) => eb('tenant' as never, '=', my('org', 'integer'))
    const policies = { book: true, chapter: tenant } as Policies
    const service = useApp(database, books, {
      plugin: { caller, policies },
      tables: async ({ db }) => {
        await createTables(db, books)
        await sql`alter table chapter add column tenant integer not null default 1`.execute(db)
      },
    })
    const client = asCaller(service, ada)

    test('is not judged before it is stored', async () => {
      const { body: book } = await client.post('/api/book', { orgId: 1, chapters: [{ slug: 'a' }, { slug: 'taken' }] })
      const path = `/api/book/${book.id}/chapter`
      const [{ id }] = book.chapters
      await client.refuse('PATCH', `${path}/${id}`, { slug: 'taken' }, taken)
      await client.refuse('PUT', `${path}/${id}`, { slug: 'taken' }, taken)
      await client.refuse('POST', path, { slug: 'taken' }, taken)
      await client.refuse('POST', `${path}/${id}`, { slug: 'b' }, { code: 'CRUD_ERR_EXISTS' })
      const other = asCaller(service, { org: 2 })
      await other.refuse('POST', path, { slug: 'b' }, forbidden)
    })
  })
})
