import { CrudError, createStore, defineResources, needs, ownedBy, owns } from '@fastify-crud/core'
import { openSqlite } from '@fastify-crud/core/sqlite'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'

const resources = defineResources({
  album: { fields: { title: Type.String() }, relations: { tracks: owns.many('track') } },
  track: {
    fields: { number: Type.Integer(), title: Type.String() },
    relations: { album: ownedBy('album') },
    unique: [['album', 'number']],
  },
  single: { fields: { releasedOn: Type.String({ format: 'date' }) }, relations: { track: needs.one('track') } },
})

const db = openSqlite(':memory:', { resources })
await createTables(db, resources)
const store = createStore({ db, resources })
const albums = store.resource('album')

console.log('An album goes in with its tracks, in one transaction:')
const album = await albums.create({
  title: 'Slow Trains',
  tracks: [
    { number: 1, title: 'Platform' },
    { number: 2, title: 'Signal failure' },
    { number: 3, title: 'Tea trolley' },
  ],
})
console.log(album)

console.log('\nA replace: the first two swap their numbers, the third is not listed and goes:')
const kept = album.tracks.filter((track) => track.number < 3)
const swapped = kept.map((track) => ({ ...track, number: 3 - track.number }))
console.log(await albums.replace(album.id, { title: 'Slow Trains', tracks: swapped }))

console.log('\nA new track, and a single that needs it. A replace that would remove this track is refused:')
const arrival = await albums.owned(album.id, 'tracks').create({ number: 3, title: 'Arrival' })
await store.resource('single').create({ releasedOn: '2026-05-01', trackId: arrival.id })
try {
  await albums.replace(album.id, { title: 'Slower Trains', tracks: [] })
} catch (error) {
  if (!(error instanceof CrudError)) throw error
  console.log(error.code, error.message, error.errors)
}

console.log('\nNothing of it was stored:')
console.log(await albums.find(album.id))
await db.destroy()
