import { Type } from '@sinclair/typebox'
import { createStore, defineResources, needs, ownedBy, owns } from 'fastify-crud'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { setups } from '../../../../test/support/databases.ts'
import { errorLog } from '../../../../test/support/error-log.ts'
import { withTestIds } from '../../../../test/support/test-ids.ts'

const resources = defineResources({
  label: { fields: { name: Type.String(), info: Type.Optional(Type.Any()) } },
  album: {
    fields: {
      name: Type.String(),
      tags: Type.Optional(Type.Object({ a: Type.Integer() })),
      year: Type.Optional(Type.Integer()),
      price: Type.Optional(Type.Number()),
    },
    relations: { label: needs.one('label'), songs: owns.many('song') },
  },
  song: {
    fields: { title: Type.String(), notes: Type.Optional(Type.Any()) },
    relations: { album: ownedBy('album') },
  },
  part: {
    fields: { info: Type.Optional(Type.Any()) },
    relations: { whole: ownedBy('part', { optional: true }), parts: owns.many('part') },
  },
})

// A column of SQLite takes any text.
describe.each(setups.filter(({ name }) => name === 'sqlite'))(
  'a value that its field cannot show ($title)',
  (database) => {
    const log = errorLog('info')
    const service = useApp(database, resources, { fastify: log.fastify })
    const warnings = () => log.lines.filter((line) => line.includes('cannot be shown'))

    async function addAlbum() {
      const label = await service.add('/api/label', { name: 'Ink' })
      const songs = [{ title: 'One' }, { title: 'Two', notes: { key: 'C' } }]
      return await service.add('/api/album', { name: 'First', labelId: label.id, tags: { a: 1 }, songs })
    }
    const store = (table: string, column: string, id: number, value: unknown) =>
      sql`update ${sql.table(table)} set ${sql.ref(column)} = ${value} where id = ${id}`.execute(service.db)

    test.each([
      ['injected properties', '1,"owner":"someone else"'],
      ['text that is no JSON', 'nope'],
      ['nothing', ''],
      ['two values', '1 2'],
      ['JSON5', "{a: 'b', c: 0x10}"],
      ['a NUL behind JSON', '{"a":1}\u0000,"owner":"someone else"'],
      ['a control character', '"\u0001"'],
      ['a blob', Buffer.from([1, 2])],
    ])('%s in a JSON column: the record and its list lack it, are partial, and can be read', async (_, value) => {
      const { id, tags, ...others } = await addAlbum()
      await store('album', 'tags', id, value)
      const read = await service.read(`/api/album/${id}`)
      expect(read).toEqual({ id, ...others, partial: true })
      expect((await service.read('/api/album')).rows).toEqual([read])
      expect((await service.read('/api/album?sort=-name&limit=1')).rows).toEqual([read])
      expect((await service.read('/api/album?filter[tags.a]=1')).rows).toEqual([])
      expect((await service.read('/api/album?sort=tags.a')).rows).toEqual([read])
      expect((await service.read('/api/album?filter[tags.a][null]=false')).rows).toEqual([])
      expect(await service.read(`/api/album/${id}?fields=tags`)).toEqual({ id, partial: true })
      expect(await service.read(`/api/album/${id}?fields=name`)).toEqual({ id, name: 'First', partial: true })
    })

    test.each([
      ['year', '1,"owner":"someone else"'],
      ['year', 'nope'],
      ['price', 'dear'],
      ['price', Number.POSITIVE_INFINITY],
      ['price', Buffer.from([1])],
      ['name', Buffer.from('Blob')],
      ['name', Buffer.alloc(0)],
    ])('%s: %s is left out', async (column, value) => {
      const album = await addAlbum()
      await store('album', column, album.id, value)
      const { [column]: _, ...others } = album
      expect(await service.read(`/api/album/${album.id}`)).toEqual({ ...others, partial: true })
    })

    test('a text in a foreign key does not become properties', async () => {
      const { id } = await addAlbum()
      await sql`pragma foreign_keys = off`.execute(service.db)
      await store('album', 'labelId', id, '0,"owner":"someone else"')
      const read = await createStore({ db: service.db, resources: withTestIds(resources) }).album.find(id)
      await sql`pragma foreign_keys = on`.execute(service.db)
      expect(read).toMatchObject({ id, label: null })
      expect(read).not.toHaveProperty('owner')
    })

    test('the log names the row', async () => {
      const { id } = await addAlbum()
      await store('album', 'tags', id, 'nope')
      const before = warnings().length
      await service.read(`/api/album/${id}`)
      expect(warnings().slice(before)).toEqual([expect.stringContaining(`table 'album', id ${id}, column 'tags'`)])
    })

    test('no PUT takes the record back, and a PATCH or a whole PUT mends it', async () => {
      const { id, ...whole } = await addAlbum()
      await store('album', 'tags', id, 'nope')
      const read = await service.get(`/api/album/${id}`)
      await service.refuse('PUT', `/api/album/${id}`, read.body, { code: 'CRUD_ERR_INVALID', pointers: ['/partial'] })
      const patched = await service.patch(`/api/album/${id}`, { name: 'Second' })
      expect(patched).toMatchObject({ status: 200, body: { name: 'Second', partial: true } })
      const answer = await service.patch(`/api/album/${id}`, { tags: null })
      expect(answer.body).toEqual({ id, ...whole, name: 'Second', tags: null })
      await store('album', 'tags', id, 'nope')
      expect((await service.put(`/api/album/${id}`, whole)).body).toEqual({ id, ...whole })
    })

    test('If-Match knows the record by the ETag that its answer has', async () => {
      const { id } = await addAlbum()
      await store('album', 'tags', id, 'nope')
      const { etag } = (await service.get(`/api/album/${id}`)).headers
      const headers = { 'if-match': String(etag) }
      expect((await service.request('PATCH', `/api/album/${id}`, { name: 'Second' }, headers)).status).toBe(200)
      expect((await service.request('PATCH', `/api/album/${id}`, { name: 'Third' }, headers)).status).toBe(412)
      expect((await service.request('DELETE', `/api/album/${id}`)).status).toBe(204)
    })

    test('in an owned record: its owner is partial, too', async () => {
      const { id, songs, ...others } = await addAlbum()
      await store('song', 'notes', songs[1].id, 'nope')
      const { notes, ...song } = songs[1]
      const read = await service.read(`/api/album/${id}`)
      expect(read).toEqual({ id, ...others, songs: [songs[0], { ...song, partial: true }], partial: true })
      expect(await service.read(`/api/album/${id}/song`)).toMatchObject({
        rows: [songs[0], { ...song, partial: true }],
      })
      await service.refuse('PUT', `/api/album/${id}`, read, {
        code: 'CRUD_ERR_INVALID',
        pointers: ['/songs/1/partial', '/partial'],
      })
    })

    test('in a related record that is not owned: that one is partial, and PUT takes back the one that is read', async () => {
      const { id, label, ...others } = await addAlbum()
      await store('label', 'info', label.id, 'nope')
      const { info, ...summary } = label
      const read = await service.read(`/api/album/${id}`)
      expect(read).toEqual({ id, ...others, label: { ...summary, partial: true } })
      expect((await service.put(`/api/album/${id}`, read)).body).toEqual(read)
    })

    test('in a tree: all owners up to its root are partial, and no other', async () => {
      const leaf = { info: 'leaf' }
      const root = await service.add('/api/part', { parts: [{ parts: [leaf, leaf] }, { parts: [leaf] }] })
      const [first, second] = root.parts
      await store('part', 'info', first.parts[1].id, 'nope')
      const broken = { id: first.parts[1].id, parts: [], partial: true }
      const expected = {
        ...root,
        parts: [{ ...first, parts: [first.parts[0], broken], partial: true }, second],
        partial: true,
      }
      expect(await service.read(`/api/part/${root.id}`)).toEqual(expected)
      expect(await service.read('/api/part')).toMatchObject({ rows: [expected] })
      expect((await service.patch(`/api/part/${root.id}`, { info: 1 })).body).toEqual({ ...expected, info: 1 })
    })
  },
)
