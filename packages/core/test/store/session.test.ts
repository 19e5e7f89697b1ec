import { createStore, defineResources, type SessionOf } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { asRole, type DatabaseAsRole } from '../../../../test/support/as-role.ts'
import { databases, setups } from '../../../../test/support/databases.ts'
import type { TestKysely } from '../../../../test/support/tables.ts'

const resources = defineResources({
  note: { fields: { author: Type.String(), team: Type.String(), text: Type.String() } },
})

interface Member {
  readonly name: string
  readonly team: string
}

const ada: Member = { name: 'ada', team: 'red' }
const bob: Member = { name: 'bob', team: 'red' }
const session: SessionOf<Member> = ({ name }) => ({ 'app.user': name })

/** PostgreSQL lets everybody see their own notes and public ones, and write their own. */
async function prepare(owner: TestKysely): Promise<void> {
  await createTables(owner, resources)
  const mine = `author = current_setting('app.user', true)`
  const policies = [
    'alter table note enable row level security',
    `create policy view_note on note for select using (${mine} or text like 'public%')`,
    `create policy add_note on note for insert with check (${mine})`,
    `create policy edit_note on note for update using (${mine})`,
    `create policy delete_note on note for delete using (${mine})`,
  ]
  for (const policy of policies) await sql.raw(policy).execute(owner)
}

for (const setup of setups.filter(({ name }) => name === 'postgres')) {
  describe(`a store with \`session\` (${setup.title})`, () => {
    let open: DatabaseAsRole

    beforeAll(async () => {
      open = await asRole(setup, prepare).open()
    })
    beforeEach(async () => {
      await sql`delete from note`.execute(open.owner)
    })
    afterAll(() => open.close())

    const storeFor = () => createStore({ db: open.db, resources, session })
    const add = async (author: string, text: string, team = 'red') =>
      await storeFor().as({ name: author, team }).note.create({ author, team, text })
    const textsFor = async (caller: Member) => (await storeFor().as(caller).note.list()).rows.map(({ text }) => text)

    test('tells PostgreSQL who is asking, for reads and for writes', async () => {
      const { id } = await add('ada', 'private')
      await add('ada', 'public')
      expect(await textsFor(ada)).toEqual(['private', 'public'])
      expect(await textsFor(bob)).toEqual(['public'])
      const store = storeFor()
      await expect(store.as(bob).note.find(id)).rejects.toMatchObject({ code: 'CRUD_ERR_NOT_FOUND' })
      await expect(store.as(bob).note.delete(id)).rejects.toMatchObject({ code: 'CRUD_ERR_NOT_FOUND' })
      const stolen = store.as(bob).note.create({ author: 'ada', team: 'red', text: 'public' })
      await expect(stolen).rejects.toMatchObject({ code: 'CRUD_ERR_FORBIDDEN' })
      expect(await store.as(ada).note.patch(id, { text: 'p' })).toMatchObject({ id, text: 'p' })
      await store.as(ada).note.delete(id)
      expect(await textsFor(ada)).toEqual(['public'])
    })

    test('does nothing without being told who is asking', () => {
      const store = storeFor() as unknown as { note: { list(): unknown }; resource(key: string): unknown }
      expect(() => store.note.list()).toThrow(/`session`: name the caller with as\(caller\)/)
      expect(() => store.resource('note')).toThrow(/`session`: name the caller with as\(caller\)/)
    })

    test('sets nothing for the application itself', async () => {
      await add('ada', 'private')
      await add('ada', 'public')
      const statements = await open.statements.record(async () => {
        expect(await storeFor().asSystem().note.list()).toMatchObject({ count: 1 })
      })
      expect(statements.join('\n')).not.toContain('set_config')
    })

    test('sets nothing in a transaction of the application’s own', async () => {
      await add('ada', 'private')
      await open.db.transaction().execute(async (db) => {
        await sql`select set_config('app.user', 'ada', true)`.execute(db)
        const within = createStore({ db, resources, session })
        expect(await within.as(bob).note.list()).toMatchObject({ count: 1 })
      })
    })

    test('may have policies as well: both have to allow it', async () => {
      const both = createStore({
        db: open.db,
        resources,
        session,
        policies: { note: ({ eb, my }) => eb('team', '=', my('team')) },
      })
      const { id } = await add('ada', 'public of red')
      const other = await add('ada', 'public of blue', 'blue')
      await add('ada', 'private of red')
      const textsOf = async (caller: Member) => (await both.as(caller).note.list()).rows.map(({ text }) => text)
      expect(await textsOf(ada)).toEqual(['public of red', 'private of red'])
      expect(await textsOf(bob)).toEqual(['public of red'])
      expect(await both.asSystem().note.list()).toMatchObject({ count: 2 })
      await expect(both.as(ada).note.find(other.id)).rejects.toMatchObject({ code: 'CRUD_ERR_NOT_FOUND' })
      const forbidden = { code: 'CRUD_ERR_FORBIDDEN' }
      await expect(both.as(bob).note.patch(id, { text: 'public' })).rejects.toMatchObject(forbidden)
      await expect(both.as(ada).note.patch(id, { team: 'blue' })).rejects.toMatchObject(forbidden)
      const added = both.as(ada).note.create({ author: 'ada', team: 'blue', text: 'x' })
      await expect(added).rejects.toMatchObject(forbidden)
      expect(await both.as(ada).note.patch(id, { text: 'public' })).toMatchObject({ text: 'public' })
      await both.as(ada).note.delete(id)
      expect(await textsOf(bob)).toEqual([])
    })
  })
}

test('SQLite has no settings: `session` is refused', async () => {
  const sqlite = databases.find(({ name }) => name === 'sqlite') as (typeof databases)[number]
  const open = await sqlite.open()
  expect(() => createStore({ db: open.db, resources, session })).toThrow(/^session: SQLite has no settings/)
  await open.close()
})
