import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useApp } from '../support/app.ts'
import type { OpenDatabase } from '../support/databases.ts'
import { describeOnDatabases } from '../support/describe-on-databases.ts'

const fields = {
  positive: Type.Integer(),
  small: Type.Integer(),
  letter: Type.String(),
  kind: Type.Union([Type.Literal('x'), Type.Literal('y'), Type.Literal('z')]),
  day: Type.String({ format: 'date' }),
  price: Type.Number(),
  code: Type.String(),
  flag: Type.Boolean(),
}

const teams = defineResources({
  team: { fields: { name: Type.String() }, relations: { players: owns.many('player') } },
  player: {
    fields,
    relations: { team: ownedBy('team'), shirts: owns.many('shirt') },
    unique: Object.keys(fields).map((name) => ['team', name]),
  },
  shirt: { fields: { size: Type.Integer() }, relations: { player: ownedBy('player') }, unique: [['player', 'size']] },
})

/** Every column takes its own values only: no null, nothing out of the way. */
async function createNarrowTables({ name, db }: OpenDatabase): Promise<void> {
  const isSqlite = name === 'sqlite'
  const key = isSqlite ? 'integer primary key autoincrement' : 'serial primary key'
  if (!isSqlite) await sql`create type kind as enum ('x', 'y', 'z')`.execute(db)
  const columns = [
    'positive integer not null check (positive > 0)',
    `small ${isSqlite ? 'integer not null check (small between -32768 and 32767)' : 'smallint not null'}`,
    `letter ${isSqlite ? 'text not null check (length(letter) <= 1)' : 'varchar(1) not null'}`,
    `kind ${isSqlite ? "text not null check (kind in ('x', 'y', 'z'))" : 'kind not null'}`,
    `day ${isSqlite ? 'text' : 'date'} not null check (day < '2030-01-01')`,
    `price ${isSqlite ? 'real not null check (abs(price) < 100)' : 'numeric(4, 2) not null'}`,
    `code ${isSqlite ? 'text' : 'char(3)'} not null check (${isSqlite ? "code glob '[A-Z][A-Z][A-Z]'" : "code ~ '^[A-Z]{3}$'"})`,
    `flag boolean not null ${isSqlite ? 'check (flag in (0, 1))' : ''}`,
  ]
  const uniques = Object.keys(fields).map((field) => `unique ("teamId", ${field})`)
  const tables = [
    `create table team (id ${key}, name text not null)`,
    `create table player (id ${key}, ${columns.join()}, "teamId" integer not null references team (id), ${uniques.join()})`,
    `create table shirt (id ${key}, size ${isSqlite ? 'integer' : 'smallint'} not null check (size between 1 and 9),
      "playerId" integer not null references player (id), unique ("playerId", size))`,
  ]
  for (const table of tables) await sql.raw(table).execute(db)
}

const players = [
  { positive: 1, small: 1, letter: 'a', kind: 'x', day: '2020-01-01', price: 1.5, code: 'AAA', flag: true },
  { positive: 2, small: 2, letter: 'b', kind: 'y', day: '2020-01-02', price: 2.5, code: 'BBB', flag: false },
]
const third = { positive: 3, small: 3, letter: 'c', kind: 'z', day: '2020-01-03', price: 3.5, code: 'CCC' }

describeOnDatabases('unique values that change places where the column cannot hold another value', (database) => {
  const service = useApp(database, teams, { tables: createNarrowTables })

  for (const field of Object.keys(fields) as (keyof (typeof players)[0])[]) {
    test(`are 409, and nothing is stored: ${field}, two that swap it`, async () => {
      const team = await service.add('/api/team', { name: 't', players })
      const [p, q] = team.players
      const swapped = [
        { ...p, [field]: q[field] },
        { ...q, [field]: p[field] },
      ]
      // The first one has to be parked.
      const pointers = [`/players/0/${field}`]
      const detail = /this table cannot swap them in one request/
      for (const method of ['PATCH', 'PUT']) {
        const body = { name: 'new', players: swapped }
        await service.refuse(method, `/api/team/${team.id}`, body, { code: 'CRUD_ERR_NOT_UNIQUE', pointers, detail })
      }
    })
  }

  test('are 200: a new one that takes all that the present one gives up', async () => {
    const team = await service.add('/api/team', { name: 't', players: players.slice(0, 1) })
    const [p] = team.players
    // There is no third boolean: it stays where it is.
    const body = {
      name: 'new',
      players: [
        { ...p, ...third },
        { ...players[0], flag: false },
      ],
    }
    const answer = await service.put(`/api/team/${team.id}`, body)
    // Nothing swaps here: the present player makes room before the new one comes.
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    expect(answer.body.players).toMatchObject(body.players)
    expect(await service.read(`/api/team/${team.id}`)).toEqual(answer.body)
  })

  test('are 409 with a pointer to the value to park, and nothing is stored: grandchildren that rotate', async () => {
    const shirts = [1, 2, 3].map((size) => ({ size }))
    const team = await service.add('/api/team', { name: 't', players: [{ ...players[0], shirts }] })
    const rotated = structuredClone(team)
    for (const shirt of rotated.players[0].shirts) shirt.size = (shirt.size % 3) + 1
    const body = { ...rotated, name: 'new' }
    const refused = { code: 'CRUD_ERR_NOT_UNIQUE', pointers: ['/players/0/shirts/0/size'] } as const
    await service.refuse('PUT', `/api/team/${team.id}`, body, refused)
  })

  test('are 200: a chain that ends in a free value', async () => {
    const shirts = [1, 2, 3].map((size) => ({ size }))
    const team = await service.add('/api/team', { name: 't', players: [{ ...players[0], shirts }] })
    const moved = structuredClone(team)
    for (const shirt of moved.players[0].shirts) shirt.size += 1
    const { status, body } = await service.put(`/api/team/${team.id}`, moved)
    expect([status, body]).toEqual([200, moved])
    expect(await service.read(`/api/team/${team.id}`)).toEqual(moved)
  })
})
