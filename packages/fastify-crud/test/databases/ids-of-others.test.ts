import { Type } from '@sinclair/typebox'
import { checkTables, defineResources, type Model, ownedBy, owns } from 'fastify-crud'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { setups } from '../../../../test/support/databases.ts'

const resources = defineResources({
  album: { fields: { name: Type.String() }, relations: { tracks: owns.many('track') } },
  track: { fields: { name: Type.String() }, relations: { album: ownedBy('album') } },
}) as Model

const TABLES: Readonly<Record<string, readonly string[]>> = {
  // As pg_dump writes them for sequences without an owner.
  postgres: [
    'create schema numbers',
    'create sequence numbers."Album ids"',
    'create sequence track_ids',
    `create table album (id integer primary key default nextval('numbers."Album ids"'::regclass), name text not null)`,
    `create table track (id bigint primary key, name text not null, "albumId" integer not null references album (id))`,
    `alter table track alter column id set default nextval('track_ids'::regclass)`,
    'create index on track ("albumId")',
  ],
  sqlite: [
    'create table album (id integer primary key, name text not null)',
    'create table track (id integer primary key not null, name text not null, "albumId" integer not null references album (id))',
    'create index track_album on track ("albumId")',
  ],
}

describe.each(setups)('ids in tables of others: sequences without owner, no AUTOINCREMENT ($title)', (database) => {
  const service = useApp(database, resources, {
    async tables({ name, db }) {
      for (const statement of TABLES[name] ?? []) await sql.raw(statement).execute(db)
    },
  })

  test('the start finds no error', async () => {
    const found = await checkTables(service.db, resources)
    expect(found.filter(({ severity }) => severity === 'error')).toEqual([])
  })

  test('a tree gets ids, one after the other, and so do records that it gets later', async () => {
    const album = await service.add('/api/album', { name: 'a', tracks: [{ name: '1' }, { name: '2' }] })
    expect(album.tracks).toHaveLength(2)
    const changed = await service.put(`/api/album/${album.id}`, {
      ...album,
      tracks: [...album.tracks, { name: '3' }, { name: '4' }],
    })
    const ids = changed.body.tracks.map(({ id }: { id: number }) => id)
    expect(new Set(ids).size).toBe(4)
    expect(ids).toEqual([...ids].sort((one: number, other: number) => one - other))
  })

  test('an id that a client chose is not given again', async () => {
    const { id } = await service.add('/api/album', { name: 'a' })
    expect((await service.post(`/api/album/${id + 1}`, { name: 'chosen' })).status).toBe(201)
    const next = await service.add('/api/album', { name: 'b', tracks: [{ name: '1' }] })
    expect(next.id).toBe(id + 2)
  })
})
