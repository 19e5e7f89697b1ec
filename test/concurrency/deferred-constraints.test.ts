import { Type } from '@sinclair/typebox'
import { defineResources, needs, ownedBy, owns } from 'fastify-crud'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { useApp } from '../support/app.ts'
import type { OpenDatabase } from '../support/databases.ts'
import { describeOnDatabases } from '../support/describe-on-databases.ts'

const resources = defineResources({
  unit: { fields: { name: Type.String() } },
  account: {
    fields: { code: Type.String(), note: Type.Optional(Type.String()), country: Type.Optional(Type.String()) },
    relations: { entries: owns.many('entry'), unit: needs.one('unit', { optional: true }) },
    unique: [['code']],
  },
  entry: { fields: { text: Type.String() }, relations: { account: ownedBy('account') } },
})

/** As Django makes them: the database checks every foreign key as it commits. */
const WHEN = { 'at the commit': 'deferrable initially deferred', 'at once': '' }

/** Beside the tables of the model those of somebody else, whose foreign keys name rows and a unique column. */
function tables(when: string) {
  return async ({ name, db }: OpenDatabase): Promise<void> => {
    const key = name === 'sqlite' ? 'integer primary key autoincrement' : 'serial primary key'
    for (const statement of [
      'create table country (code text primary key)',
      `create table unit (id ${key}, name text not null)`,
      `create table account (id ${key}, code text not null unique, note text,
        country text references country (code) ${when}, "unitId" integer references unit (id) ${when})`,
      `create table entry (id ${key}, text text not null, "accountId" integer not null references account (id) ${when})`,
      `create table invoice (id ${key}, "accountId" integer references account (id) ${when})`,
      `create table receipt (id ${key}, "entryId" integer references entry (id) ${when})`,
      `create table letter (id ${key}, code text references account (code) ${when})`,
    ]) {
      await sql.raw(statement).execute(db)
    }
  }
}

describe.each(Object.entries(WHEN))('a foreign key that only the database knows, checked %s', (_, when) => {
  describeOnDatabases('is 409', (database) => {
    // The API reference cannot know of such constraints: its statuses are not looked at here.
    const service = useApp(database, resources, { tables: tables(when), plugin: { handlers: {} } })
    const run = (text: string) => sql.raw(text).execute(service.db)
    const add = async () => {
      const account = await service.add('/api/account', { code: 'a', entries: [{ text: 'one' }, { text: 'two' }] })
      return { ...account, path: `/api/account/${account.id}` }
    }
    const needed = { code: 'CRUD_ERR_STILL_NEEDED' } as const
    const refused = { code: 'CRUD_ERR_REFUSED' } as const

    test('for a DELETE, of the record and of what it owns', async () => {
      const { id, path, entries } = await add()
      await run(`insert into invoice ("accountId") values (${id})`)
      await service.refuse('DELETE', path, undefined, needed)
      await run('delete from invoice')
      await run(`insert into receipt ("entryId") values (${entries[1].id})`)
      await service.refuse('DELETE', path, undefined, needed)
      await service.refuse('DELETE', `${path}/entry/${entries[1].id}`, undefined, needed)
      await service.refuse('PUT', path, { code: 'a', entries: [entries[0]] }, needed)
      await run('delete from receipt')
      expect((await service.delete(path)).status).toBe(204)
    })

    test('for a change of a unique column that it names', async () => {
      const { path } = await add()
      await run("insert into letter (code) values ('a')")
      await service.refuse('PATCH', path, { code: 'b' }, refused)
      await service.refuse('PATCH', path, { code: 'b', entries: [{ text: 'three' }] }, refused)
      expect((await service.patch(path, { note: 'n' })).status).toBe(200)
    })

    test('for a value that it does not find', async () => {
      const { path } = await add()
      await service.refuse('PATCH', path, { country: 'XX' }, refused)
      await service.refuse('POST', '/api/account', { code: 'b', country: 'XX' }, refused)
      await run("insert into country values ('XX')")
      expect((await service.patch(path, { country: 'XX' })).status).toBe(200)
    })

    test('for a dry run, too; the references of the model stay what they are', async () => {
      const { id, path } = await add()
      await service.refuse(
        'PATCH',
        path,
        { unitId: 999 },
        { code: 'CRUD_ERR_UNKNOWN_REFERENCE', pointers: ['/unitId'] },
      )
      await run(`insert into invoice ("accountId") values (${id})`)
      if (when === '' || database.name === 'postgres') {
        const answer = await service.request('DELETE', path, undefined, { prefer: 'tx=rollback' })
        expect([answer.status, answer.body.code]).toEqual([409, 'CRUD_ERR_STILL_NEEDED'])
      }
    })
  })
})
