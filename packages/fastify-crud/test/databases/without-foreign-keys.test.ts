import { Type } from '@sinclair/typebox'
import { checkTables, defineResources, knows, needs, ownedBy, owns } from 'fastify-crud'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const name = Type.Optional(Type.String())
const constraint = false

const resources = defineResources({
  author: { fields: { name } },
  tag: { fields: { name } },
  post: {
    fields: { name },
    relations: {
      author: needs.one('author', { constraint }),
      reader: knows.one('author', { constraint }),
      tags: knows.many('tag', { constraint }),
      comments: owns.many('comment'),
    },
  },
  comment: { fields: { name }, relations: { post: ownedBy('post', { constraint }) } },
})

describeOnBoth('relations that say constraint: false', (database) => {
  const service = useApp(database, resources)

  test('get no foreign key by createTables, and checkTables finds nothing', async () => {
    expect(await checkTables(service.db, resources)).toEqual([])
    const keys =
      service.database.name === 'sqlite'
        ? sql`select 1 from sqlite_schema s, pragma_foreign_key_list(s.name)`
        : sql`select 1 from pg_constraint where contype = 'f'`
    expect((await keys.execute(service.db)).rows).toEqual([])
  })

  test('name records that are there', async () => {
    const unknown = { code: 'CRUD_ERR_UNKNOWN_REFERENCE' } as const
    await service.refuse('POST', '/api/post', { authorId: 7 }, { ...unknown, pointers: ['/authorId'] })
    const { id: authorId } = await service.add('/api/author', {})
    const post = { authorId, readerId: 7, tags: [{ id: 7 }] }
    await service.refuse('POST', '/api/post', post, { ...unknown, pointers: ['/readerId', '/tags/0/id'] })
  })

  test('keep what is needed, and clear what is known', async () => {
    const [author, reader] = [await service.add('/api/author', {}), await service.add('/api/author', {})]
    const tag = await service.add('/api/tag', {})
    const body = { authorId: author.id, readerId: reader.id, tags: [{ id: tag.id }], comments: [{ name: 'c' }] }
    const post = await service.add('/api/post', body)
    await service.refuse('DELETE', `/api/author/${author.id}`, undefined, { code: 'CRUD_ERR_STILL_NEEDED' })
    for (const path of [`/api/author/${reader.id}`, `/api/tag/${tag.id}`])
      expect((await service.request('DELETE', path)).status).toBe(204)
    expect(await service.read(`/api/post/${post.id}`)).toMatchObject({ readerId: null, reader: null, tags: [] })
    expect((await service.request('DELETE', `/api/post/${post.id}`)).status).toBe(204)
    expect((await sql`select 1 from comment`.execute(service.db)).rows).toEqual([])
  })

  test('show null for a record that is gone, and a PUT of that answer changes nothing', async () => {
    const { id: authorId } = await service.add('/api/author', {})
    const post = await service.add('/api/post', { authorId, readerId: authorId })
    await sql`delete from author`.execute(service.db)
    const path = `/api/post/${post.id}`
    const record = await service.read(path)
    expect(record).toMatchObject({ authorId, author: null, readerId: authorId, reader: null })
    expect(await service.request('PUT', path, record)).toMatchObject({ status: 200, body: record })
  })
})
