import { createStore } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { type Descriptors, defineResources, knows, neededBy, needs, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { updatesIn } from '../../../../test/support/statement-log.ts'

const name = Type.String()

const album = {
  fields: { name },
  relations: {
    tracks: owns.many('track'),
    cover: owns.one('cover', { required: true }),
    bands: needs.many('band'),
    label: needs.one('label'),
    studio: needs.one('label'),
    tags: knows.many('tag'),
  },
} as const

const others = {
  label: { fields: { name }, relations: { albums: neededBy.many('album', { inverse: 'label' }) } },
  track: { fields: { name }, relations: { album: ownedBy('album') } },
  cover: { fields: { name }, relations: { album: ownedBy('album') } },
  band: { fields: { name } },
  tag: { fields: { name } },
} as const

const all = defineResources({ album, ...others })
const albums = defineResources({ album: { ...album, defaultInclude: ['tracks', 'label'] }, ...others })

describeOnBoth('defaultInclude', (database) => {
  const service = useApp(database, albums)
  let body: JsonBody
  let shown: JsonBody
  let path: string

  beforeEach(async () => {
    const add = async (resource: string) => (await service.add(`/api/${resource}`, { name: resource })).id
    body = {
      name: 'a',
      labelId: await add('label'),
      studioId: await add('label'),
      bands: [{ id: await add('band') }],
      tags: [{ id: await add('tag') }],
      tracks: [{ name: 't' }],
      cover: { name: 'c' },
    }
    shown = await service.add('/api/album', body)
    path = `/api/album/${shown.id}`
  })

  /** The record with all of its relations. */
  const everything = (): Promise<JsonBody> =>
    createStore({ db: service.db, resources: all }).album.find(shown.id) as Promise<JsonBody>

  test('says what a record carries by itself, in every answer; its foreign keys are always there', async () => {
    const expected = {
      id: shown.id,
      name: 'a',
      tracks: [{ id: expect.any(Number), name: 't' }],
      labelId: body.labelId,
      label: { id: body.labelId, name: 'label' },
      studioId: body.studioId,
    }
    expect(shown).toEqual(expected)
    expect(await service.read(path)).toEqual(expected)
    expect(await service.read('/api/album')).toEqual({ rows: [expected], count: 1 })
    expect((await service.put(path, shown)).body).toEqual(expected)
    expect((await service.patch(path, { name: 'a' })).body).toEqual(expected)
    expect((await service.patch(path, { tags: [] })).body).toEqual(expected)
  })

  test('lets `include` add the others, and leave out what it names', async () => {
    const whole = await service.read(`${path}?include=bands,tags,cover,studio`)
    expect(whole).toEqual(await everything())
    expect(await service.read(`${path}?include=bands`)).toEqual({ ...shown, bands: whole.bands })
    const { tracks: _, ...rest } = shown
    expect(await service.read(`${path}?include=-tracks`)).toEqual({ ...rest, partial: true })
    const nothingToLeaveOut = { code: 'CRUD_ERR_INVALID', detail: /'-bands'.* does not contain it/ } as const
    await service.refuse('GET', `${path}?include=-bands`, undefined, nothingToLeaveOut)
    expect(await service.read(`${path}?fields=name,bands`)).toEqual({
      id: shown.id,
      name: 'a',
      bands: whole.bands,
      partial: true,
    })
  })

  test('makes an array that `include` has cut a part, which no PUT takes', async () => {
    await service.patch(path, { tags: [await service.add('/api/tag', { name: 'second' })] })
    const cut = await service.read(`${path}?include=tags&nested[tags][limit]=1`)
    expect(cut).toEqual({ ...shown, tags: [{ id: expect.any(Number), name: 'tag' }], partial: true })
    await service.refuse('PUT', path, cut, { code: 'CRUD_ERR_INVALID', pointers: ['/partial'] })
  })

  test('is no limit for a POST, which needs what is required', async () => {
    expect(await everything()).toMatchObject({
      cover: { name: 'c' },
      bands: [{ name: 'band' }],
      tags: [{ name: 'tag' }],
      studio: { id: body.studioId, name: 'label' },
    })
    const { cover: _, bands: __, ...incomplete } = body
    const refused = { code: 'CRUD_ERR_INVALID', pointers: ['/cover', '/bands'] } as const
    await service.refuse('POST', '/api/album', incomplete, refused)
  })

  test('lets a PUT of what GET returned change nothing, without a write', async () => {
    const before = await service.snapshot()
    const statements = await service.statements(async () => {
      expect(await service.put(path, shown)).toMatchObject({ status: 200, body: shown })
      expect(await service.put(path, await everything())).toMatchObject({ status: 200, body: shown })
    })
    expect(updatesIn(statements)).toEqual([])
    expect(await service.snapshot()).toEqual(before)
  })

  test('lets a PUT leave alone what it does not name and the body leaves out, required or not', async () => {
    const before = await everything()
    const changed = { ...shown, name: 'b', tracks: [] }
    expect(await service.put(path, changed)).toMatchObject({ status: 200, body: changed })
    expect(await everything()).toEqual({ ...before, name: 'b', tracks: [] })
  })

  test('makes a PUT remove what it names, if the body leaves that out', async () => {
    const { tracks: _, ...rest } = shown
    expect((await service.put(path, rest)).body.tracks).toEqual([])
  })

  test('lets a PUT replace the others, if the body has them', async () => {
    const before = await everything()
    const band = await service.add('/api/band', { name: 'new' })
    const changes = { bands: [{ id: band.id }], tags: [], cover: { name: 'd' } }
    expect(await service.put(path, { ...shown, ...changes })).toMatchObject({ status: 200, body: shown })
    const cover = { ...before.cover, name: 'd' }
    expect(await everything()).toEqual({ ...before, bands: [band], tags: [], cover })
  })

  test('lets no PUT take away what is required', async () => {
    for (const wrong of [{ bands: [] }, { cover: null }]) {
      const pointers = [`/${Object.keys(wrong)[0]}`]
      await service.refuse('PUT', path, { ...shown, ...wrong }, { code: 'CRUD_ERR_INVALID', pointers })
    }
  })

  test('lets a PATCH add to the others and change them', async () => {
    const before = await everything()
    const tag = await service.add('/api/tag', { name: 'new' })
    const { status, body: answer } = await service.patch(path, { tags: [{ id: tag.id }], cover: { name: 'd' } })
    expect({ status, answer }).toEqual({ status: 200, answer: shown })
    const cover = { ...before.cover, name: 'd' }
    expect(await everything()).toEqual({ ...before, tags: [...before.tags, tag], cover })
  })

  test('says that a reference sent back is the one that is there, shown or not', async () => {
    const { studioId, ...rest } = shown
    await service.refuse('PUT', path, rest, { code: 'CRUD_ERR_INVALID', pointers: ['/studioId'] })
    expect(await service.patch(path, { studio: { id: studioId } })).toMatchObject({ status: 200, body: shown })
    const refused = { code: 'CRUD_ERR_INVALID', pointers: ['/studio'] } as const
    await service.refuse('PATCH', path, { studio: { id: shown.labelId } }, refused)
  })

  test('makes an ETag of what a record carries', async () => {
    const { etag } = (await service.get(path)).headers as { readonly etag: string }
    await service.patch(path, { tags: [] })
    await service.patch(path, { cover: { name: 'd' } })
    expect((await service.get(path)).headers.etag).toBe(etag)
    const matching = { 'if-match': etag }
    const { tags: _, ...unnamed } = await everything()
    expect((await service.request('PUT', path, unnamed, matching)).status).toBe(200)
    expect((await service.request('PUT', path, { ...unnamed, tags: [] }, matching)).headers.etag).toBe(etag)
    expect((await service.request('PATCH', path, { bands: [], name: 'b' }, matching)).status).toBe(200)
    expect((await service.request('PATCH', path, { bands: [], name: 'c' }, matching)).status).toBe(412)
  })
})

/** The problem of a `defaultInclude`, as a compiler would find it, too. */
function problemOf(defaultInclude: unknown): string {
  try {
    defineResources({ album: { ...album, defaultInclude }, ...others } as unknown as Descriptors)
  } catch (error) {
    return (error as Error).message
  }
  return ''
}

test('defaultInclude that names no relation is refused at start, by its place', () => {
  expect(problemOf(['trakcs'])).toMatch(/album\.defaultInclude: 'trakcs' is not a relation .* did you mean 'tracks'\?/)
  expect(problemOf(['name'])).toMatch(/album\.defaultInclude: 'name' is not a relation/)
  expect(problemOf(['labelId'])).toMatch(/album\.defaultInclude: 'labelId' is not a relation .* did you mean 'label'\?/)
  expect(problemOf(['tracks', 'label', 'tracks'])).toMatch(/album\.defaultInclude: 'tracks' occurs twice/)
  expect(problemOf('tracks')).toMatch(/album\.defaultInclude: must be an array of names/)
  expect(problemOf([['tracks']])).toMatch(/album\.defaultInclude: must be an array of names/)
  expect(problemOf([])).toBe('')
})
