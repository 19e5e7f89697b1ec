import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnDrivers } from '../../../../test/support/describe-on-databases.ts'

const team = defineResources({
  team: { fields: { name: Type.String() }, relations: { players: owns.many('player') } },
  player: {
    fields: {
      rank: Type.Integer({ minimum: 1, maximum: 3 }),
      side: Type.Union([Type.Literal('l'), Type.Literal('r')]),
    },
    relations: { team: ownedBy('team') },
    unique: [
      ['team', 'rank'],
      ['team', 'side'],
    ],
  },
})

/** No row can hold a value in between: not null, and nothing but the values themselves. */
async function createNarrowTables({ name, db }: OpenDatabase): Promise<void> {
  const key = sql.raw(name === 'sqlite' ? 'integer primary key autoincrement' : 'serial primary key')
  await sql`create table team (id ${key}, name text not null)`.execute(db)
  await sql`create table player (id ${key}, "teamId" integer not null references team (id),
    rank integer not null check (rank between 1 and 3), side text not null check (side in ('l', 'r')),
    unique ("teamId", rank), unique ("teamId", side))`.execute(db)
}

describeOnDrivers('a swap where the column cannot hold a parking value', (database) => {
  const service = useApp(database, team, { tables: createNarrowTables })

  for (const field of ['rank', 'side']) {
    test(`is 409 with a pointer to the value to park, and nothing is stored: ${field}`, async () => {
      const { id, players } = await service.add('/api/team', {
        name: 't',
        players: [
          { rank: 1, side: 'l' },
          { rank: 2, side: 'r' },
        ],
      })
      const [p1, p2] = players
      const swapped = [
        { ...p1, [field]: p2[field] },
        { ...p2, [field]: p1[field] },
      ]
      const refused = {
        code: 'CRUD_ERR_NOT_UNIQUE',
        pointers: [`/players/0/${field}`],
        detail: /this table cannot swap them in one request/,
      } as const
      await service.refuse('PUT', `/api/team/${id}`, { name: 'new', players: swapped }, refused)
    })
  }

  test('a chain needs no parking: who leaves a value goes before who takes it', async () => {
    const { id, players } = await service.add('/api/team', {
      name: 't',
      players: [
        { rank: 1, side: 'l' },
        { rank: 2, side: 'r' },
      ],
    })
    const [p1, p2] = players
    const up = [
      { ...p1, rank: 2 },
      { ...p2, rank: 3 },
    ]
    const down = [
      { ...p1, rank: 1 },
      { ...p2, rank: 2 },
    ]
    for (const moved of [up, down, [...up].reverse(), [...down].reverse()]) {
      const { status, body } = await service.put(`/api/team/${id}`, { name: 't', players: moved })
      expect(status).toBe(200)
      expect(body.players).toEqual([...moved].sort((a, b) => a.id - b.id))
    }
  })
})
