import { createStore, defineResources, ownedBy, owns } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnDatabases } from '../../../../test/support/describe-on-databases.ts'

const resources = defineResources({
  parent: { fields: { name: Type.String() }, relations: { children: owns.many('child') }, unique: [['name']] },
  child: { fields: { note: Type.String() }, relations: { parent: ownedBy('parent') } },
})

describeOnDatabases("the store in the caller's transaction", (database) => {
  let open: OpenDatabase

  beforeAll(async () => {
    open = await database.open()
    await createTables(open.db, resources)
    // A constraint that the model does not know: it is met in the middle of a write.
    await sql`create unique index child_note on child (note)`.execute(open.db)
  })
  beforeEach(() => open.empty())
  afterAll(() => open.close())

  const stored = () => createStore({ db: open.db, resources }).resource('parent').list()

  test('leaves nothing of a write that is refused, and the caller goes on and commits', async () => {
    await open.db.transaction().execute(async (trx) => {
      const parents = createStore({ db: trx, resources }).resource('parent')
      const first = await parents.create({ name: 'first', children: [{ note: 'taken' }] })
      const children = [{ note: 'a' }, { note: 'b' }, { note: 'taken' }]
      const second = await parents.create({ name: 'second', children: [{ note: 'kept' }] })

      const refused = { code: 'CRUD_ERR_NOT_UNIQUE' }
      await expect(parents.create({ name: 'third', children })).rejects.toMatchObject(refused)
      await expect(parents.replace(second.id, { name: 'new', children })).rejects.toMatchObject(refused)
      await expect(parents.patch(second.id, { name: 'new', children })).rejects.toMatchObject(refused)
      await expect(parents.owned(second.id, 'children').create({ note: 'taken' })).rejects.toMatchObject(refused)
      await expect(parents.create({ name: 'first' })).rejects.toMatchObject(refused)
      await expect(parents.create({ name: 'x' }, { id: first.id })).rejects.toMatchObject({ code: 'CRUD_ERR_EXISTS' })
      await expect(parents.delete(999_999)).rejects.toMatchObject({ code: 'CRUD_ERR_NOT_FOUND' })

      expect(await parents.list()).toEqual({ rows: [first, second], count: 2 })
      await parents.create({ name: 'last' })
    })
    expect(await stored()).toMatchObject({
      rows: [
        { name: 'first', children: [{ note: 'taken' }] },
        { name: 'second', children: [{ note: 'kept' }] },
        { name: 'last', children: [] },
      ],
      count: 3,
    })
  })

  test('leaves what the caller itself wrote before a refusal', async () => {
    await open.db.transaction().execute(async (trx) => {
      await trx.insertInto('parent').values({ name: 'by hand' }).execute()
      const parents = createStore({ db: trx, resources }).resource('parent')
      await expect(parents.create({ name: 'by hand' })).rejects.toMatchObject({ code: 'CRUD_ERR_NOT_UNIQUE' })
    })
    expect(await stored()).toMatchObject({ rows: [{ name: 'by hand' }], count: 1 })
  })

  test('stores nothing if the caller rolls back', async () => {
    const rolledBack = open.db.transaction().execute(async (trx) => {
      await createStore({ db: trx, resources })
        .resource('parent')
        .create({ name: 'a', children: [{ note: 'n' }] })
      throw new Error('rolled back')
    })
    await expect(rolledBack).rejects.toThrow('rolled back')
    expect(await stored()).toEqual({ rows: [], count: 0 })
  })
})
