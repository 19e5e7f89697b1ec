import { Type } from '@sinclair/typebox'
import { defineResources, knows, needs, ownedBy, owns } from 'fastify-crud'
import { beforeEach, describe, expect, test } from 'vitest'
import { useApp } from '../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import { at, chosenKinds, modelOf } from '../ids/kinds.ts'

describe.each(chosenKinds())('links with ids of the kind: $title', ({ id, next, free }) => {
  describeOnBoth('an address of a link', (database) => {
    const service = useApp(database, modelOf(id))
    const add = (path: string, body: object) => service.add(path, next === undefined ? body : { id: next(), ...body })

    test('has them at both ends', async () => {
      const tags: JsonBody[] = []
      for (const name of ['1', '2', '3']) tags.push(await add('/api/tag', { name }))
      const order = at('/api/order', (await add('/api/order', { name: 'o' })).id)
      for (const tag of tags) expect((await service.put(at(`${order}/tags`, tag.id), undefined)).status).toBe(204)
      const first = await service.get(`${order}/tags?sort=name&limit=2`)
      const link = /^<(.*)>; rel="next"$/.exec(String(first.headers.link))?.[1] as string
      expect(link.startsWith(`${order}/tags?`)).toBe(true)
      expect([first.body.rows, (await service.read(link)).rows]).toEqual([tags.slice(0, 2), tags.slice(2)])
      for (const tag of tags) expect((await service.delete(at(`${order}/tags`, tag.id))).status).toBe(204)
      expect((await service.read(`${order}/tags`)).count).toBe(0)
      await service.refuse('PUT', at(`${order}/tags`, free), undefined, { code: 'CRUD_ERR_NOT_FOUND' })
      expect((await service.delete(at(`${order}/tags`, free))).status).toBe(204)
    })
  })
})

/** Ids that one member makes up, and owners with ids of several parts cannot be: those have no links. */
const members = defineResources({
  user: { id: 'uuid', fields: { name: Type.String() }, relations: { profile: owns.one('profile') } },
  profile: {
    id: ['user'],
    fields: { text: Type.String() },
    relations: { user: ownedBy('user'), likes: knows.many('song') },
  },
  song: {
    id: ['code'],
    fields: { code: Type.String({ maxLength: 20 }), title: Type.String() },
    relations: { fans: needs.many('user') },
  },
  day: { id: ['on'], fields: { on: Type.String({ format: 'date' }) }, relations: { songs: knows.many('song') } },
})

describeOnBoth('an address of a link between records whose members make up their ids', (database) => {
  const service = useApp(database, members)
  let user: JsonBody
  let song: JsonBody

  beforeEach(async () => {
    user = await service.add('/api/user', { name: 'Ann', profile: { text: 't' } })
    song = await service.add('/api/song', { code: 'a b,~', title: 'A', fans: [{ id: user.id }] })
  })

  test('has these ids', async () => {
    const path = `/api/user/${user.id}/profile/${user.id}/likes`
    expect((await service.put(at(path, song.id), undefined)).status).toBe(204)
    expect(await service.read(path)).toEqual({ rows: [song], count: 1 })
    expect((await service.delete(at(path, song.id))).status).toBe(204)
    expect((await service.read(path)).count).toBe(0)
    await service.add('/api/day', { on: '2026-11-28' })
    expect((await service.put(at('/api/day/2026-11-28/songs', song.id), undefined)).status).toBe(204)
    expect((await service.read('/api/day/2026-11-28/songs')).rows).toEqual([song])
  })

  test('takes a UUID in upper case', async () => {
    const other = await service.add('/api/user', { name: 'Ben' })
    const fans = `${at('/api/song', song.id)}/fans`
    expect((await service.put(`${fans}/${String(other.id).toUpperCase()}`, undefined)).status).toBe(204)
    expect((await service.read(fans)).count).toBe(2)
    expect((await service.delete(`${fans}/${String(user.id).toUpperCase()}`)).status).toBe(204)
    expect((await service.read(fans)).rows).toMatchObject([{ id: other.id }])
  })
})
