import { setTimeout as wait } from 'node:timers/promises'
import { Type } from '@sinclair/typebox'
import { createTables, defineResources, needs, ownedBy, owns } from 'fastify-crud'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { useApp } from '../support/app.ts'
import { type OpenDatabase, setups } from '../support/databases.ts'
import type { TestKysely } from '../support/tables.ts'

const name = Type.Optional(Type.String())

const resources = defineResources({
  place: { fields: { name } },
  box: { fields: { name }, relations: { things: owns.many('thing') } },
  thing: { fields: { name }, relations: { box: ownedBy('box') } },
  tag: { fields: { name } },
  note: {
    fields: { name },
    relations: {
      place: needs.one('place', { optional: true }),
      thing: needs.one('thing', { optional: true }),
      tags: needs.many('tag'),
    },
  },
})

/** The tables of `createTables`, in which the database would remove notes, and links of theirs, with what they need. */
async function createCascadingTables({ db }: OpenDatabase): Promise<void> {
  await createTables(db, resources)
  for (const [table, column, target] of [
    ['note', 'placeId', 'place'],
    ['note', 'thingId', 'thing'],
    ['note_tags', 'tagId', 'tag'],
  ] as const) {
    const key = sql.id(`${table}_${column}_fkey`)
    await sql`alter table ${sql.id(table)} drop constraint ${key}, add constraint ${key}
      foreign key (${sql.id(column)}) references ${sql.id(target)} (id) on delete cascade`.execute(db)
  }
}

interface Case {
  readonly title: string
  readonly request: readonly [method: string, path: string, body?: object]
  /** What another program inserts before the request, and commits while that waits. */
  readonly insert: string
}

const thing = { id: 7, name: 't' }
const needsThing = 'insert into note (id, "thingId") values (8, 7)'
const cases: readonly Case[] = [
  {
    title: 'DELETE of a record',
    request: ['DELETE', '/api/place/7'],
    insert: 'insert into note (id, "placeId") values (8, 7)',
  },
  {
    title: 'DELETE of one at the end of a link',
    request: ['DELETE', '/api/tag/7'],
    insert: 'insert into note_tags ("noteId", "tagId") values (7, 7)',
  },
  { title: 'DELETE of its owner', request: ['DELETE', '/api/box/7'], insert: needsThing },
  {
    title: 'PUT of its owner without it',
    request: ['PUT', '/api/box/7', { name: 'b', things: [] }],
    insert: needsThing,
  },
  { title: 'DELETE through its owner', request: ['DELETE', '/api/box/7/thing/7'], insert: needsThing },
]

describe.each(setups.filter((setup) => setup.name === 'postgres'))(
  'needs over ON DELETE CASCADE ($title)',
  (database) => {
    const service = useApp(database, resources, { tables: createCascadingTables })

    async function fill(): Promise<void> {
      for (const statement of [
        'insert into place (id) values (7)',
        'insert into box (id) values (7)',
        `insert into thing (id, name, "boxId") values (7, 't', 7)`,
        'insert into tag (id) values (7)',
        'insert into note (id) values (7)',
      ])
        await sql.raw(statement).execute(service.db)
    }

    async function waiting(db: TestKysely): Promise<void> {
      for (;;) {
        const { rows } = await sql`select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
        if (rows.length > 0) return
        await wait(10)
      }
    }

    test.each(cases)('$title is 409 if another program adds a record that needs it meanwhile', async (one) => {
      await fill()
      expect((await service.read('/api/box/7')).things).toEqual([thing])
      const other = await service.db.startTransaction().execute()
      await sql.raw(one.insert).execute(other)
      const [method, path, body] = one.request
      const answer = service.request(method, path, body)
      await Promise.race([waiting(service.db), answer])
      await other.commit().execute()
      expect(await answer).toMatchObject({ status: 409, body: { code: 'CRUD_ERR_STILL_NEEDED' } })
      const { rows } = await sql`select from note union all select from note_tags`.execute(service.db)
      expect(rows).toHaveLength(2)
      expect((await service.read('/api/box/7')).things).toEqual([thing])
    })

    test.each(cases)('$title is done if no record needs it', async ({ request: [method, path, body] }) => {
      await fill()
      expect((await service.request(method, path, body)).status).toBeLessThan(300)
    })
  },
)
