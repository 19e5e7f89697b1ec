import { Type } from '@sinclair/typebox'
import { defineResources, type Model, ownedBy, owns } from 'fastify-crud'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../../test/support/app.ts'
import type { OpenDatabase } from '../../../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../../test/support/json-body.ts'

const team = defineResources({
  team: { id: 'integer', fields: { name: Type.String() }, relations: { players: owns.many('player') } },
  player: {
    id: ['team', 'shirt'],
    fields: {
      shirt: Type.Integer(),
      rank: Type.Integer({ minimum: 1, maximum: 3 }),
      side: Type.Union([Type.Literal('l'), Type.Literal('r')]),
    },
    relations: { team: ownedBy('team') },
    unique: [
      ['team', 'rank'],
      ['team', 'side'],
    ],
  },
}) as Model

/** No row can hold a value in between: not null, and nothing but the values themselves. */
async function createNarrowTables({ name, db }: OpenDatabase): Promise<void> {
  const key = sql.raw(name === 'sqlite' ? 'integer primary key autoincrement' : 'serial primary key')
  await sql`create table team (id ${key}, name text not null)`.execute(db)
  await sql`create table player ("teamId" integer not null references team (id), shirt integer not null,
    rank integer not null check (rank between 1 and 3), side text not null check (side in ('l', 'r')),
    primary key ("teamId", shirt), unique ("teamId", rank), unique ("teamId", side))`.execute(db)
}

describeOnBoth('children whose ids have several parts, and a column that cannot hold a parking value', (database) => {
  const service = useApp(database, team, { tables: createNarrowTables })
  let path: string
  let players: JsonBody[]

  beforeEach(async () => {
    const given = [
      { shirt: 7, rank: 1, side: 'l' },
      { shirt: 9, rank: 2, side: 'r' },
    ]
    const made = await service.add('/api/team', { name: 't', players: given })
    path = `/api/team/${made.id}`
    players = made.players
  })

  for (const field of ['rank', 'side']) {
    test(`a swap is 409 with a pointer to the value to park, and nothing is stored: ${field}`, async () => {
      const [p1, p2] = players as [JsonBody, JsonBody]
      const refused = {
        code: 'CRUD_ERR_NOT_UNIQUE',
        pointers: [`/players/0/${field}`],
        detail: /this table cannot swap them in one request/,
      } as const
      const byId = [
        { ...p1, [field]: p2[field] },
        { ...p2, [field]: p1[field] },
      ]
      await service.refuse('PUT', path, { name: 'new', players: byId }, refused)
      const byMembers = byId.map(({ id: _, ...others }) => others)
      await service.refuse('PUT', path, { name: 'new', players: byMembers }, refused)
      await service.refuse('PATCH', path, { players: byMembers }, refused)
    })
  }

  test('a chain needs no parking, whichever way the elements are named', async () => {
    const up = await service.patch(path, {
      players: [
        { shirt: 7, rank: 2 },
        { id: 9, rank: 3 },
      ],
    })
    expect(up).toMatchObject({
      status: 200,
      body: {
        players: [
          { id: 7, rank: 2 },
          { id: 9, rank: 3 },
        ],
      },
    })
    const handed = await service.put(path, {
      name: 't',
      players: [
        { shirt: 11, rank: 2, side: 'r' },
        { ...players[0], rank: 3 },
      ],
    })
    expect(handed).toMatchObject({
      status: 200,
      body: {
        players: [
          { id: 7, rank: 3 },
          { id: 11, rank: 2 },
        ],
      },
    })
  })
})
