import { Type } from '@sinclair/typebox'
import { defineResources, type Model, ownedBy, owns } from 'fastify-crud'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../../test/support/app.ts'
import type { OpenDatabase } from '../../../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../../test/support/json-body.ts'

const club = defineResources({
  club: { id: 'integer', fields: { name: Type.String() }, relations: { members: owns.many('member') } },
  member: {
    id: ['club', 'number'],
    fields: { number: Type.Integer(), nick: Type.String(), isHead: Type.Boolean({ default: false }) },
    relations: { club: ownedBy('club') },
    unique: [['club', 'nick']],
  },
}) as Model

/** A column that takes `Ann` and `ann` for the same. */
async function createCaselessTables({ name, db }: OpenDatabase): Promise<void> {
  const isSqlite = name === 'sqlite'
  if (!isSqlite) await sql`create extension if not exists citext`.execute(db)
  const key = isSqlite ? 'integer primary key autoincrement' : 'serial primary key'
  const text = isSqlite ? 'text collate nocase' : 'citext'
  for (const statement of [
    `create table club (id ${key}, name text not null)`,
    `create table member ("clubId" integer not null references club (id), number integer not null, nick ${text} not null,
      "isHead" boolean not null, primary key ("clubId", number), unique ("clubId", nick))`,
  ])
    await sql.raw(statement).execute(db)
}

describeOnBoth('unique values in a column that ignores case, of children whose ids have several parts', (database) => {
  const service = useApp(database, club, { tables: createCaselessTables })
  let path: string
  let members: JsonBody[]

  beforeEach(async () => {
    const given = ['Ann', 'Bob', 'Cid'].map((nick, number) => ({ number, nick }))
    const made = await service.add('/api/club', { name: 'c', members: given })
    path = `/api/club/${made.id}`
    members = made.members
  })

  test('are swapped and spelled anew in one PUT', async () => {
    const [ann, bob, cid] = members as [JsonBody, JsonBody, JsonBody]
    const swapped = [
      { ...ann, nick: 'bob' },
      { ...bob, nick: 'ANN' },
      { ...cid, nick: 'cid' },
    ]
    expect(await service.put(path, { name: 'c', members: swapped })).toMatchObject({
      status: 200,
      body: { members: swapped },
    })
  })

  test('are 409 at the second place where two differ in case only', async () => {
    const two = [
      { number: 0, nick: 'x' },
      { number: 1, nick: 'X' },
    ]
    // Only the database knows that they are the same.
    const pointers = ['/members/1/nick']
    await service.refuse('PUT', path, { name: 'c', members: two }, { code: 'CRUD_ERR_NOT_UNIQUE', pointers })
    const one = { code: 'CRUD_ERR_NOT_UNIQUE', pointers: ['/nick'] } as const
    await service.refuse('PATCH', `${path}/member/0`, { nick: 'BOB' }, one)
    await service.refuse('POST', `${path}/member`, { number: 9, nick: 'cID' }, one)
  })
})
