import { Type } from '@sinclair/typebox'
import { createStore, createTables, defineResources, knows, ownedBy, owns } from 'fastify-crud'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const fields = { name: Type.String() }

const albums = defineResources({
  album: {
    fields,
    relations: { songs: knows.many('song', { order: 'position' }), notes: owns.many('note', { order: 'position' }) },
  },
  song: { fields },
  note: { fields, relations: { album: ownedBy('album') } },
})

describeOnBoth('an order, without HTTP', (database) => {
  let opened: OpenDatabase
  const open = () => createStore({ db: opened.db, resources: albums })
  beforeAll(async () => {
    opened = await database.open()
    await createTables(opened.db, albums)
  })
  afterAll(() => opened.close())

  test('the store adds a link in its place, and an owned record', async () => {
    const store = open()
    const [a, b, c] = await Promise.all(['a', 'b', 'c'].map((name) => store.song.create({ name })))
    if (a === undefined || b === undefined || c === undefined) throw new Error('no songs')
    const notes = [{ name: 'x' }, { name: 'y' }]
    const album = await store.album.create({ name: 'n', songs: [{ id: a.id }, { id: b.id }], notes })
    await store.album.linked(album.id, 'songs').add(c.id, { before: a.id })
    const y = album.notes[1]?.id as number
    await store.album.owned(album.id, 'notes').create({ name: 'z', $before: y })
    const stored = await store.album.find(album.id)
    expect(stored.songs.map(({ name }) => name)).toEqual(['c', 'a', 'b'])
    expect(stored.notes.map(({ name }) => name)).toEqual(['x', 'z', 'y'])
  })
})
