import { setTimeout as wait } from 'node:timers/promises'
import { Type } from '@sinclair/typebox'
import { createStore, defineResources, knows, needs, ownedBy, owns } from 'fastify-crud'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { useApp } from '../support/app.ts'
import { setups } from '../support/databases.ts'

const name = Type.Optional(Type.String())
const constraint = false

const resources = defineResources({
  place: { fields: { name } },
  mood: { fields: { name } },
  tag: { fields: { name } },
  box: { fields: { name }, relations: { things: owns.many('thing') } },
  thing: { fields: { name }, relations: { box: ownedBy('box', { constraint }) } },
  note: {
    fields: { name },
    relations: {
      place: needs.one('place', { optional: true, constraint }),
      thing: needs.one('thing', { optional: true, constraint }),
      mood: knows.one('mood', { constraint }),
      tags: knows.many('tag', { constraint }),
      needed: needs.many('tag', { constraint, through: 'note_needed' }),
    },
  },
})

interface Case {
  /** What a note names. */
  readonly names: object
  readonly path: string
  /** Whether the note keeps the record from being deleted. */
  readonly isNeeded: boolean
}

const cases: readonly Case[] = [
  { names: { placeId: 7 }, path: '/api/place/7', isNeeded: true },
  { names: { thingId: 7 }, path: '/api/box/7', isNeeded: true },
  { names: { thingId: 7 }, path: '/api/box/7/thing/7', isNeeded: true },
  { names: { needed: [{ id: 7 }] }, path: '/api/tag/7', isNeeded: true },
  { names: { moodId: 7 }, path: '/api/mood/7', isNeeded: false },
  { names: { tags: [{ id: 7 }] }, path: '/api/tag/7', isNeeded: false },
]

const note = { name: 'n', needed: [{ id: 8 }] }

describe.each(setups.filter((setup) => setup.name === 'postgres'))(
  'relations without foreign keys ($title)',
  (database) => {
    const service = useApp(database, resources)

    async function fill(): Promise<void> {
      for (const path of ['/api/place/7', '/api/mood/7', '/api/tag/7', '/api/tag/8']) await service.add(path, {})
      await service.add('/api/box/7', { things: [] })
      await service.add('/api/box/7/thing/7', {})
      await service.add('/api/note/9', note)
    }

    /** Begins a request, commits the transaction as soon as the request waits for it, and resolves to the answer. */
    async function answerBehind(
      commit: () => Promise<unknown>,
      request: readonly [string, string, object?],
    ): Promise<{ readonly status: number; readonly body: unknown }> {
      const answer = service.request(...request)
      let isDone = false
      void answer.then(() => {
        isDone = true
      })
      for (;;) {
        const { rows } = await sql`select 1 from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(service.db)
        if (rows.length > 0 || isDone) break
        await wait(10)
      }
      await commit()
      return await answer
    }

    async function danglingRows(): Promise<readonly unknown[]> {
      const { rows } = await sql`
        select 'place' from note where "placeId" is not null and "placeId" not in (select id from place)
        union all select 'thing' from note where "thingId" is not null and "thingId" not in (select id from thing)
        union all select 'mood' from note where "moodId" is not null and "moodId" not in (select id from mood)
        union all select 'tags' from note_tags where "tagId" is not null and "tagId" not in (select id from tag)
        union all select 'needed' from note_needed where "tagId" is not null and "tagId" not in (select id from tag)
        union all select 'box' from thing where "boxId" is not null and "boxId" not in (select id from box)`.execute(
        service.db,
      )
      return rows
    }

    test.each(cases)('DELETE $path behind a write that names it: $names', async ({ names, path, isNeeded }) => {
      await fill()
      const other = await service.db.startTransaction().execute()
      await createStore({ db: other, resources })
        .resource('note')
        .create({ ...note, ...names } as never)
      const answer = await answerBehind(() => other.commit().execute(), ['DELETE', path])
      expect(answer.status, JSON.stringify(answer.body)).toBe(isNeeded ? 409 : 204)
      expect(await danglingRows()).toEqual([])
    })

    test.each(cases)('a PUT that names $names behind a DELETE of $path', async ({ names, path }) => {
      await fill()
      const { resource } = createStore({ db: service.db, resources })
      expect(await resource('note').find(9)).toMatchObject({ name: 'n' })
      const other = await service.db.startTransaction().execute()
      const [, , key, , child] = path.split('/')
      const store = createStore({ db: other, resources })
      if (child === undefined) await store.resource(key as 'place').delete(7)
      else await store.resource('box').owned(7, 'things').delete(7)
      const answer = await answerBehind(() => other.commit().execute(), ['PUT', '/api/note/9', { ...note, ...names }])
      expect(answer).toMatchObject({ status: 400, body: { code: 'CRUD_ERR_UNKNOWN_REFERENCE' } })
      expect(await danglingRows()).toEqual([])
    })

    test('a new part behind a DELETE of its owner is 404', async () => {
      await fill()
      const other = await service.db.startTransaction().execute()
      await createStore({ db: other, resources }).resource('box').delete(7)
      const answer = await answerBehind(() => other.commit().execute(), ['POST', '/api/box/7/thing', {}])
      expect(answer.status).toBe(404)
      expect(await danglingRows()).toEqual([])
    })
  },
)
