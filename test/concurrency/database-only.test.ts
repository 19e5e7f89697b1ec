import { Type } from '@sinclair/typebox'
import { defineResources, knows, ownedBy, owns } from 'fastify-crud'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useApp } from '../support/app.ts'
import type { OpenDatabase } from '../support/databases.ts'
import { describeOnDatabases } from '../support/describe-on-databases.ts'
import type { JsonBody } from '../support/json-body.ts'

const own = {
  name: Type.Optional(Type.String()),
  score: Type.Optional(Type.Integer()),
  tag: Type.Optional(Type.String()),
}

const resources = defineResources({
  top: {
    fields: own,
    relations: { mids: owns.many('mid'), single: owns.one('single'), friends: knows.many('friend') },
  },
  mid: { fields: own, relations: { top: ownedBy('top'), leaves: owns.many('leaf') } },
  leaf: { fields: own, relations: { mid: ownedBy('mid') } },
  single: { fields: own, relations: { top: ownedBy('top') } },
  friend: { fields: own },
})

/** What no descriptor says: a CHECK, a unique index, a NOT NULL, and a foreign key to a table of somebody else. */
async function createStricterTables({ name, db }: OpenDatabase): Promise<void> {
  const key = name === 'sqlite' ? 'integer primary key autoincrement' : 'serial primary key'
  const columns = 'name text, score integer check (score < 100), tag text unique'
  const fk = (table: string) => `"${table}Id" integer not null references "${table}" (id)`
  const statements = [
    `create table top (id ${key}, ${columns})`,
    `create table mid (id ${key}, ${columns}, ${fk('top')})`,
    `create table leaf (id ${key}, ${columns.replace('name text', 'name text not null')}, ${fk('mid')})`,
    `create table single (id ${key}, ${columns}, ${fk('top').replace('null', 'null unique')})`,
    `create table friend (id ${key}, ${columns})`,
    `create table top_friends ("topId" integer not null references top (id), "friendId" integer not null
      references friend (id) check ("friendId" % 5 <> 0), primary key ("topId", "friendId"))`,
    `create table invoice (id ${key}, "midId" integer not null references mid (id))`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const ok = (n: number) => ({ name: `n${n}`, score: n })
/** Five, the third of which is bad. */
const five = (bad: object): JsonBody[] => [ok(1), ok(2), { ...ok(3), ...bad }, ok(4), ok(5)]

const bad = [
  { title: 'a CHECK', values: { score: 100 }, code: 'CRUD_ERR_REFUSED', at: '' },
  { title: 'a unique index', values: { tag: 'taken' }, code: 'CRUD_ERR_NOT_UNIQUE', at: '/tag' },
] as const

describeOnDatabases('a constraint that only the database knows', (database) => {
  // The API reference cannot know of such constraints either: its statuses are not looked at here.
  const service = useApp(database, resources, {
    tables: createStricterTables,
    plugin: { handlers: {}, tables: 'warn' },
  })

  async function prepare(): Promise<string> {
    const taken = { name: 't', tag: 'taken' }
    const others = { mids: [{ ...taken, leaves: [taken] }], single: taken }
    await service.add('/api/top', { ...taken, ...others })
    const { id } = await service.add('/api/top', { name: 'o', mids: [{ ...ok(0), leaves: [ok(1)] }], single: ok(9) })
    return `/api/top/${id}`
  }

  // A database says which columns a unique index has, and not which ones a CHECK looks at.
  for (const { title, values, code, at } of bad) {
    test(`${title}: the third of five children points to it, whatever the verb, and the deleted are back`, async () => {
      const path = await prepare()
      const expected = { code, pointers: [`/mids/2${at}`] }
      await service.refuse('POST', '/api/top', { name: 'n', mids: five(values) }, expected)
      await service.refuse('PUT', path, { name: 'n', mids: five(values) }, expected)
      await service.refuse('PATCH', path, { name: 'n', single: null, mids: five(values) }, expected)
    })

    test(`${title}: the third of five grandchildren points to it`, async () => {
      const path = await prepare()
      const mids = [ok(1), { ...ok(2), leaves: five(values) }, { ...ok(3), leaves: [ok(7)] }]
      const expected = { code, pointers: [`/mids/1/leaves/2${at}`] }
      await service.refuse('POST', '/api/top', { name: 'n', mids }, expected)
      await service.refuse('PUT', path, { name: 'n', mids }, expected)
      await service.refuse('PATCH', path, { mids, single: { name: 'changed' } }, expected)
    })

    test(`${title}: the one child, the record itself, and a child through its own route point to themselves`, async () => {
      const path = await prepare()
      await service.refuse('PATCH', path, { name: 'n', single: values }, { code, pointers: [`/single${at}`] })
      await service.refuse('PUT', path, { ...ok(1), ...values }, { code, pointers: [at] })
      await service.refuse('POST', '/api/top', { ...values, mids: [ok(1)] }, { code, pointers: [at] })
      const [{ id }] = (await service.read(path)).mids
      await service.refuse('PATCH', `${path}/mid/${id}`, values, { code, pointers: [at] })
      await service.refuse('PUT', `${path}/mid/${id}`, { leaves: five(values) }, { code, pointers: [`/leaves/2${at}`] })
    })

    test(`${title}: the third of five that are changed in place points to it`, async () => {
      await prepare()
      const { id, mids } = await service.add('/api/top', { name: 'n', mids: [1, 2, 3, 4, 5].map(ok) })
      const changed = mids.map(({ id, name }: JsonBody, index: number) => ({
        id,
        name: `${name}!`,
        ...(index === 2 ? values : {}),
      }))
      const expected = { code, pointers: [`/mids/2${at}`] }
      await service.refuse('PUT', `/api/top/${id}`, { name: 'n', mids: changed }, expected)
      await service.refuse('PATCH', `/api/top/${id}`, { mids: changed.toReversed() }, expected)
    })
  }

  test('a NOT NULL: the one of the new children that has no value points to itself', async () => {
    const path = await prepare()
    const [{ id }] = (await service.read(path)).mids
    const mids = [{ id, leaves: [ok(1), ok(2), { score: 3 }, ok(4)] }]
    await service.refuse('PATCH', path, { mids }, { code: 'CRUD_ERR_REFUSED', pointers: ['/mids/0/leaves/2/name'] })
  })

  test('of a link table: the association that violates it points to itself', async () => {
    const path = await prepare()
    const friends: { id: number }[] = []
    for (let n = 0; n < 6; n++) friends.push({ id: (await service.add('/api/friend', ok(n))).id })
    const index = friends.findIndex(({ id }) => id % 5 === 0)
    const expected = { code: 'CRUD_ERR_REFUSED', pointers: [`/friends/${index}/id`] } as const
    await service.refuse('PATCH', path, { name: 'n', friends }, expected)
    await service.refuse('POST', '/api/top', { name: 'n', mids: [ok(1)], friends }, expected)
  })

  test('a foreign key of a table that is not in the model: what it names stays, 409', async () => {
    const path = await prepare()
    const [{ id }] = (await service.read(path)).mids
    await sql`insert into invoice ("midId") values (${id})`.execute(service.db)
    const expected = { code: 'CRUD_ERR_STILL_NEEDED' } as const
    await service.refuse('DELETE', path, undefined, expected)
    await service.refuse('PUT', path, { name: 'n', single: ok(1) }, expected)
    await service.refuse('DELETE', `${path}/mid/${id}`, undefined, expected)
    await sql`delete from invoice`.execute(service.db)
    expect((await service.delete(path)).status).toBe(204)
  })
})
