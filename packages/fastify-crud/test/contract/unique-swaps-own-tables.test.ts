import { Type } from '@sinclair/typebox'
import { checkTables, createTables, defineResources, needs, ownedBy, owns } from 'fastify-crud'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'

const notUnique = 'CRUD_ERR_NOT_UNIQUE'

async function run({ db }: OpenDatabase, ...statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

function keyOf({ name }: OpenDatabase): string {
  return name === 'sqlite' ? 'integer primary key autoincrement' : 'serial primary key'
}

const club = defineResources({
  club: { fields: { name: Type.String() }, relations: { members: owns.many('member') } },
  member: {
    fields: { nick: Type.String(), mail: Type.Optional(Type.String()) },
    relations: { club: ownedBy('club') },
    unique: [['club', 'nick'], ['mail']],
  },
})

/** Columns that take `Ann` and `ann` for the same. */
async function createCaselessTables(database: OpenDatabase): Promise<void> {
  const isSqlite = database.name === 'sqlite'
  if (!isSqlite) await run(database, 'create extension if not exists citext')
  const text = isSqlite ? 'text collate nocase' : 'citext'
  await run(
    database,
    `create table club (id ${keyOf(database)}, name text not null)`,
    `create table member (id ${keyOf(database)}, nick ${text} not null, mail ${text} unique,
      "clubId" integer not null references club (id), unique ("clubId", nick))`,
  )
}

describeOnDatabases('unique values in columns that ignore case', (database) => {
  const service = useApp(database, club, { tables: createCaselessTables })
  let record: JsonBody
  let path: string
  let ids: number[]

  beforeEach(async () => {
    record = await service.add('/api/club', {
      name: 'c',
      members: [
        { nick: 'Ann', mail: 'ann@x' },
        { nick: 'Bob', mail: 'bob@x' },
        { nick: 'Cid', mail: null },
      ],
    })
    path = `/api/club/${record.id}`
    ids = record.members.map(({ id }: JsonBody) => id)
  })

  test.each([
    ['swap', ['BOB', 'ann', 'Cid']],
    ['rotate', ['bob', 'CID', 'ann']],
    ['change their case only', ['ANN', 'BOB', 'CID']],
    ['move along', ['bob', 'cid', 'dot']],
  ])('200 if they %s', async (_, nicks) => {
    const members = nicks.map((nick, index) => ({ id: ids[index], nick }))
    const answer = await service.patch(path, { members })
    expect([answer.status, answer.body.members?.map(({ nick }: JsonBody) => nick)]).toEqual([200, nicks])
    expect(await service.read(path)).toEqual(answer.body)
    expect((await service.put(path, record)).body).toEqual(record)
  })

  test('200 if columns that may be null swap them', async () => {
    const members = ['BOB@X', 'ANN@X'].map((mail, index) => ({ id: ids[index], mail }))
    const { status, body } = await service.patch(path, { members })
    expect([status, body.members.map(({ mail }: JsonBody) => mail)]).toEqual([200, ['BOB@X', 'ANN@X', null]])
  })

  test('409 where another one keeps it', async () => {
    const members = [{ id: ids[0], nick: 'BOB' }]
    const refused = { code: notUnique, pointers: ['/members/0/nick'], detail: /not unique: club, nick/ } as const
    await service.refuse('PATCH', path, { members }, refused)
  })

  test('409 with a pointer where two records of one body end with it', async () => {
    const members = ['zoe', 'ZOE'].map((nick, index) => ({ id: ids[index], nick }))
    const refused = { code: notUnique, pointers: ['/members/1/nick'] } as const
    await service.refuse('PATCH', path, { members }, refused)
  })
})

const stage = defineResources({
  stage: { fields: { name: Type.String() }, relations: { parts: owns.many('part') } },
  part: {
    fields: {
      side: Type.Union([Type.Literal('l'), Type.Literal('r')]),
      lead: Type.Boolean(),
      pin: Type.String({ writeOnly: true }),
      note: Type.Optional(Type.String({ maxLength: 10 })),
    },
    relations: { stage: ownedBy('stage'), actor: needs.one('actor') },
    unique: [['stage', 'side'], ['stage', 'lead'], ['actor'], ['actor', 'pin']],
  },
  actor: { fields: { name: Type.String() } },
})

/** Columns that hold their own values only. `behind`: what stands behind each unique key. */
const narrowTables = (behind: string) => async (database: OpenDatabase) => {
  const isSqlite = database.name === 'sqlite'
  if (!isSqlite) await run(database, `create type side as enum ('l', 'r')`)
  const end = isSqlite ? '' : behind
  await run(
    database,
    `create table stage (id ${keyOf(database)}, name text not null)`,
    `create table actor (id ${keyOf(database)}, name text not null)`,
    `create table part (id ${keyOf(database)},
      side ${isSqlite ? "text not null check (side in ('l', 'r'))" : 'side not null'},
      lead ${isSqlite ? 'boolean not null check (lead in (0, 1))' : 'boolean not null'},
      pin text not null, note ${isSqlite ? 'text check (length(note) <= 3)' : 'varchar(3)'},
      "stageId" integer not null references stage (id), "actorId" integer not null references actor (id),
      constraint sides unique ("stageId", side) ${end}, constraint leads unique ("stageId", lead) ${end},
      constraint actors unique ("actorId") ${end}, constraint pins unique ("actorId", pin) ${end})`,
    'create index parts on part ("stageId")',
  )
}

const kinds = [
  ['that are checked row by row', ''],
  ['that are deferrable', 'deferrable initially immediate'],
] as const

for (const [title, behind] of kinds) {
  describeOnDatabases(`unique keys of tables that somebody else has made, ${title}`, (database) => {
    const service = useApp(database, stage, { tables: narrowTables(behind) })
    const isPostgres = database.name === 'postgres'
    let record: JsonBody
    let path: string
    let actors: number[]

    beforeEach(async () => {
      actors = []
      for (const name of ['0', '1', '2']) actors.push((await service.add('/api/actor', { name })).id)
      record = await service.add('/api/stage', {
        name: 's',
        parts: [
          { side: 'l', lead: true, pin: '1', note: null, actorId: actors[0] },
          { side: 'r', lead: false, pin: '1', note: null, actorId: actors[1] },
        ],
      })
      path = `/api/stage/${record.id}`
    })

    const swapped = (...names: string[]) => {
      const [first, second] = record.parts
      return names.reduce(
        ([one, other], name) => [
          { ...one, [name]: second[name] },
          { ...other, [name]: first[name] },
        ],
        [{ id: first.id }, { id: second.id }] as JsonBody[],
      ) as [JsonBody, JsonBody]
    }

    test('checkTables accepts them', async () => {
      const problems = await checkTables(service.db, stage)
      expect(problems.filter(({ message }) => /unique/.test(message))).toEqual([])
    })

    const can = {
      side: isPostgres && behind !== '',
      lead: isPostgres && behind !== '',
      actorId: !isPostgres || behind !== '',
    }
    for (const name of ['side', 'lead', 'actorId'] as const) {
      test(`${can[name] ? '200' : '409 says that it cannot be done'}: a swap of ${name}`, async () => {
        const parts = swapped(name)
        if (can[name]) {
          const { status, body } = await service.patch(path, { parts })
          expect([status, body.parts]).toEqual([
            200,
            parts.map((part, index) => ({ ...record.parts[index], ...part, actor: expect.anything() })),
          ])
          expect(await service.read(path)).toEqual(body)
        } else {
          const pointers = [name === 'actorId' ? '/parts/0/actorId' : `/parts/0/${name}`]
          const refused = { code: notUnique, pointers, detail: /this table cannot swap them in one request/ } as const
          await service.refuse('PATCH', path, { parts }, refused)
        }
      })
    }

    test('200: chains that end in a free value', async () => {
      const [first, second] = record.parts
      const forth = [
        { id: first.id, actorId: actors[1] },
        { id: second.id, actorId: actors[2] },
      ]
      for (const parts of [forth, [...forth].reverse()]) {
        const { status, body } = await service.patch(path, { parts })
        expect([status, body.parts?.map((part: JsonBody) => part.actorId)]).toEqual([200, [actors[1], actors[2]]])
        const back = { parts: record.parts.map(({ id, actorId }: JsonBody) => ({ id, actorId })) }
        expect((await service.patch(path, back)).body).toEqual(record)
      }
    })

    if (!can.actorId) return

    test('the row that the table refuses for another reason is pointed to', async () => {
      const [first, second] = swapped('actorId')
      const parts = [first, { ...second, note: 'too long' }]
      // A CHECK is 409. A type that is too narrow is 400.
      const code = database.name === 'sqlite' ? 'CRUD_ERR_REFUSED' : 'CRUD_ERR_INVALID'
      await service.refuse('PATCH', path, { parts }, { code, pointers: ['/parts/1'] })
    })

    test('200: a swap that the database finds, as a part of the key is write-only', async () => {
      const [first, second] = swapped('actorId')
      const { status, body } = await service.patch(path, { parts: [{ ...first, pin: '1' }, second] })
      expect([status, body.parts?.map((part: JsonBody) => part.actorId)]).toEqual([200, [actors[1], actors[0]]])
    })
  })
}

const seating = defineResources({
  room: { fields: { name: Type.String() }, relations: { chairs: owns.many('chair') } },
  chair: {
    fields: { code: Type.String() },
    relations: { room: ownedBy('room'), guest: needs.one('guest', { unique: true }) },
  },
  guest: { fields: { name: Type.String() } },
})

describeOnDatabases('createTables on tables without their unique keys', (database) => {
  const service = useApp(database, seating, {
    async tables(open) {
      await run(
        open,
        `create table room (id ${keyOf(open)}, name text not null)`,
        `create table guest (id ${keyOf(open)}, name text not null)`,
        `create table chair (id ${keyOf(open)}, code text not null, "roomId" integer not null references room (id),
          "guestId" integer not null references guest (id))`,
      )
      await createTables(open.db, seating)
      await createTables(open.db, seating)
    },
  })

  test('adds those that allow a swap of needs.one: 200', async () => {
    expect(await checkTables(service.db, seating)).toEqual([])
    const guests = [await service.add('/api/guest', { name: 'a' }), await service.add('/api/guest', { name: 'b' })]
    const chairs = guests.map(({ id }, index) => ({ code: `${index}`, guestId: id }))
    const room = await service.add('/api/room', { name: 'r', chairs })
    const [first, second] = room.chairs
    const swapped = [
      { id: first.id, guestId: second.guestId },
      { id: second.id, guestId: first.guestId },
    ]
    const { status, body } = await service.patch(`/api/room/${room.id}`, { chairs: swapped })
    expect([status, body.chairs]).toMatchObject([200, swapped])
  })
})
