import { Type } from '@sinclair/typebox'
import { defineResources, knows, needs } from 'fastify-crud'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import { writesIn } from '../../../../../test/support/statement-log.ts'
import { missingId } from '../../../../../test/support/test-ids.ts'
import { tenantColumns } from '../../../../../test/support/test-tenants.ts'

const name = Type.String()
const album = { through: 'track', from: 'albumId', to: 'songId' } as const
const appearance = { through: 'track', from: 'songId', to: 'albumId' } as const

const music = defineResources({
  album: {
    fields: { name },
    relations: {
      songs: knows.many('song', { ...album, order: 'position' }),
      artists: needs.many('artist', { order: 'rank' }),
    },
  },
  song: { fields: { name }, relations: { albums: knows.many('album', { ...appearance, order: 'albumRank' }) } },
  artist: { fields: { name } },
})

describeOnBoth('an array of links that keeps its order', (database) => {
  const service = useApp(database, music)
  const songs = new Map<string, JsonBody>()
  let record: JsonBody
  let path: string

  const song = (one: string) => ({ id: songs.get(one)?.id })
  const names = ({ songs }: JsonBody): string => songs.map((one: JsonBody) => one.name).join('')
  const stored = async (): Promise<string> => names(await service.read(path))

  beforeEach(async () => {
    for (const one of ['a', 'b', 'c', 'd', 'e']) songs.set(one, await service.add('/api/song', { name: one }))
    const artists = [await service.add('/api/artist', { name: 'x' }), await service.add('/api/artist', { name: 'y' })]
    record = await service.add('/api/album', {
      name: 'first',
      songs: [song('c'), song('a'), song('b')],
      artists: artists.toReversed().map(({ id }) => ({ id })),
    })
    path = `/api/album/${record.id}`
  })

  test('has the order of the body of a POST and of a PUT', async () => {
    expect(names(record)).toBe('cab')
    expect(record.artists.map((one: JsonBody) => one.name)).toEqual(['y', 'x'])
    const { body } = await service.put(path, { ...record, songs: [song('b'), song('e'), song('c')] })
    expect(names(body)).toBe('bec')
    expect(await stored()).toBe('bec')
  })

  test('a PUT of what GET shows changes nothing', async () => {
    const shown = await service.read(path)
    const statements = await service.statements(async () => {
      expect((await service.put(path, shown)).body).toEqual(shown)
    })
    expect(writesIn(statements)).toEqual([])
  })

  test('a PATCH adds links at the end, or where it says, and moves those that are there', async () => {
    const added = [{ ...song('d') }, { ...song('e'), $before: song('a').id }, { ...song('b'), $before: song('c').id }]
    expect(names((await service.patch(path, { songs: added })).body)).toBe('bcead')
    expect(await stored()).toBe('bcead')
    await service.patch(path, {
      songs: [
        { ...song('b'), $before: null },
        { ...song('e'), $remove: true },
      ],
    })
    expect(await stored()).toBe('cadb')
  })

  test('PUT of a link’s address may say the place', async () => {
    const put = async (one: string, body?: unknown) =>
      (await service.request('PUT', `${path}/songs/${song(one).id}`, body)).status
    expect(await put('d')).toBe(204)
    expect(await put('e', { $before: song('a').id })).toBe(204)
    expect(await stored()).toBe('ceabd')
    expect(await put('b', { $before: null })).toBe(204)
    expect(await put('c')).toBe(204)
    expect(await put('a', {})).toBe(204)
    expect(await stored()).toBe('ceadb')
    const refused = { code: 'CRUD_ERR_UNKNOWN_REFERENCE', pointers: ['/$before'] } as const
    await service.refuse('PUT', `${path}/songs/${song('a').id}`, { $before: missingId('song') }, refused)
    for (const [body, pointer] of [
      [{ $before: true }, '/$before'],
      [{ name: 1 }, '/name'],
      [[], ''],
    ] as const) {
      const invalid = { code: 'CRUD_ERR_INVALID', pointers: [pointer] } as const
      await service.refuse('PUT', `${path}/songs/${song('a').id}`, body, invalid)
    }
  })

  test('what is taken away has no place', async () => {
    const at = { code: 'CRUD_ERR_INVALID', pointers: ['/songs/0/$remove'] } as const
    await service.refuse('PATCH', path, { songs: [{ ...song('a'), $before: null, $remove: true }] }, at)
  })

  test('the other end has an order of its own, and adds to the end of this one', async () => {
    const second = await service.add('/api/album', {
      name: 'second',
      songs: [song('a'), song('c')],
      artists: record.artists,
    })
    const at = `/api/song/${song('a').id}`
    expect((await service.read(at)).albums.map((one: JsonBody) => one.name)).toEqual(['first', 'second'])
    await service.patch(at, { albums: [{ id: second.id, $before: record.id }] })
    expect((await service.read(at)).albums.map((one: JsonBody) => one.name)).toEqual(['second', 'first'])
    expect(await stored()).toBe('cab')
    await service.patch(`/api/song/${song('e').id}`, { albums: [{ id: record.id }] })
    expect(await stored()).toBe('cabe')
    await service.add('/api/song', { name: 'f', albums: [{ id: second.id }, { id: record.id }] })
    expect(await stored()).toBe('cabef')
  })

  test('the page of related records has the order of the array, with cursors', async () => {
    const all = await service.read(`${path}/songs`)
    expect(all.rows.map((one: JsonBody) => one.name).join('')).toBe('cab')
    let page = await service.read(`${path}/songs?limit=1&count=none`)
    let seen = ''
    for (;;) {
      seen += page.rows.map((one: JsonBody) => one.name).join('')
      if (page.next === undefined) break
      page = await service.read(`${path}/songs?limit=1&after=${page.next}`)
    }
    expect(seen).toBe('cab')
    expect(names(await service.read(`${path}?nested[songs][limit]=2`))).toBe('ca')
  })

  test('gaps, equal numbers, nulls and a unique key of the table are in nobody’s way', async () => {
    await service.db.updateTable('track').set({ position: null }).execute()
    expect(await stored()).toBe('abc')
    await service.patch(path, { songs: [song('d')] })
    expect(await stored()).toBe('abcd')
    const columns = [...tenantColumns, 'albumId', 'position'].map((column) => sql.ref(column))
    await sql`create unique index track_places on track (${sql.join(columns)})`.execute(service.db)
    for (const [position, one] of ['a', 'b', 'c', 'd'].entries()) {
      await service.db
        .updateTable('track')
        .set({ position })
        .where('songId', '=', song(one).id as never)
        .execute()
    }
    for (const order of ['dcba', 'bacd', 'bedc', 'ecb']) {
      await service.put(path, { ...record, songs: [...order].map(song) })
      expect(await stored()).toBe(order)
    }
  })
})
