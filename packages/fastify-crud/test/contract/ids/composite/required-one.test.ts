import { Type } from '@sinclair/typebox'
import { defineResources, type Model, needs, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../../test/support/json-body.ts'

const text = Type.Optional(Type.String())

/** A profile has the id of its user, a badge that of its user and its kind, a label three parts. */
const model = defineResources({
  user: {
    id: 'integer',
    fields: { name: Type.String() },
    relations: {
      profile: owns.one('profile', { required: true }),
      badge: owns.one('badge', { required: true }),
      label: owns.one('label'),
    },
  },
  profile: {
    id: ['user'],
    fields: { bio: Type.String(), note: text },
    relations: { user: ownedBy('user'), photo: owns.one('photo', { required: true }) },
  },
  photo: { id: ['profile'], fields: { url: Type.String() }, relations: { profile: ownedBy('profile') } },
  badge: {
    id: ['user', 'kind'],
    fields: { level: Type.Integer({ default: 1 }), note: text },
    relations: { user: ownedBy('user'), kind: needs.one('kind') },
  },
  label: {
    id: ['user', 'lang', 'side'],
    fields: { lang: Type.String(), side: Type.Integer(), text },
    relations: { user: ownedBy('user') },
  },
  kind: { id: 'text', fields: { name: Type.String() } },
}) as Model

describeOnBoth('the one child of an owner, with the owner as a part of its id', (database) => {
  const service = useApp(database, model)
  const invalid = { code: 'CRUD_ERR_INVALID' } as const
  const needed = { code: 'CRUD_ERR_STILL_NEEDED' } as const
  const profile = { bio: 'b', note: 'n', photo: { url: 'u' } }
  let user: JsonBody
  let path: string

  beforeEach(async () => {
    for (const id of ['k', 'l']) await service.add('/api/kind', { id, name: id })
    user = await service.add('/api/user', { name: 'a', profile, badge: { kindId: 'k' } })
    path = `/api/user/${user.id}`
  })

  test('is made with its owner, and never missing where it is required', async () => {
    const kind = { id: 'k', name: 'k' }
    expect(user).toMatchObject({
      profile: { id: user.id, bio: 'b', photo: { id: user.id, url: 'u' } },
      badge: { id: 'k', kindId: 'k', level: 1, kind },
      label: null,
    })
    expect(await service.read(path)).toEqual(user)
    await service.refuse('POST', '/api/user', { name: 'b' }, { ...invalid, pointers: ['/profile', '/badge'] })
    const without = { name: 'b', profile: { bio: 'b' }, badge: {} }
    await service.refuse('POST', '/api/user', without, { ...invalid, pointers: ['/profile/photo', '/badge/kindId'] })
    for (const nothing of [{ profile: null }, { badge: null }]) {
      const pointers = [`/${Object.keys(nothing)[0]}`]
      await service.refuse('PATCH', path, nothing, { ...invalid, pointers })
      await service.refuse('PUT', path, { ...user, ...nothing }, { ...invalid, pointers })
    }
    await service.refuse('PUT', path, { name: 'a' }, { ...invalid, pointers: ['/profile', '/badge'] })
    await service.refuse('PATCH', path, { profile: { photo: null } }, { ...invalid, pointers: ['/profile/photo'] })
    await service.refuse('DELETE', `${path}/profile/${user.id}`, undefined, needed)
    await service.refuse('DELETE', `${path}/badge/k`, undefined, needed)
    await service.refuse('DELETE', `${path}/profile/${user.id}/photo/${user.id}`, undefined, needed)
    await service.refuse('POST', `${path}/badge`, { kindId: 'l' }, { code: 'CRUD_ERR_EXISTS' })
    await service.refuse('POST', `${path}/profile`, profile, { code: 'CRUD_ERR_EXISTS' })
  })

  test('is replaced in full by PUT, without its id, and keeps the id', async () => {
    const body = { name: 'a', profile: { bio: 'c', photo: { url: 'v' } }, badge: { note: 'x' } }
    const put = await service.put(path, body)
    expect(put).toMatchObject({
      status: 200,
      body: {
        profile: { id: user.id, bio: 'c', note: null, photo: { id: user.id, url: 'v' } },
        badge: { id: 'k', level: 1, note: 'x' },
      },
    })
    await service.refuse(
      'PUT',
      path,
      { ...user, profile: {} },
      { ...invalid, pointers: ['/profile/bio', '/profile/photo'] },
    )
    expect((await service.put(path, { ...user, badge: {} })).body.badge).toEqual(user.badge)
    for (const [name, at] of [
      ['profile', `${path}/profile`],
      ['badge', `${path}/badge`],
    ] as const) {
      expect(await service.put(at, user[name])).toMatchObject({ status: 200, body: user[name] })
      expect(await service.put(`${at}/${user[name].id}`, user[name])).toMatchObject({ status: 200, body: user[name] })
    }
    expect((await service.patch(path, { badge: { level: 5 } })).body.badge).toEqual({ ...user.badge, level: 5 })
  })

  test('is never exchanged for another', async () => {
    const unknown = { code: 'CRUD_ERR_UNKNOWN_REFERENCE' } as const
    for (const method of ['PUT', 'PATCH']) {
      await service.refuse(method, path, { ...user, badge: { id: 'l' } }, { ...unknown, pointers: ['/badge/id'] })
      await service.refuse(
        method,
        path,
        { ...user, badge: { kindId: 'l' } },
        { ...unknown, pointers: ['/badge/kindId'] },
      )
      const both = { ...user, badge: { id: 'k', kindId: 'l' } }
      await service.refuse(method, path, both, { ...invalid, pointers: ['/badge/kindId'] })
      const foreign = { ...user, profile: { ...user.profile, id: user.id + 1_000 } }
      await service.refuse(method, path, foreign, { ...unknown, pointers: ['/profile/id'] })
    }
    for (const wrong of [[], 'x', 1]) {
      await service.refuse('PATCH', path, { badge: wrong }, { ...invalid, pointers: ['/badge'] })
    }
  })

  test('with several parts of its own is made, kept, removed and made anew', async () => {
    await service.refuse('PATCH', path, { label: {} }, { ...invalid, pointers: ['/label/lang', '/label/side'] })
    await service.refuse('PUT', path, { ...user, label: { side: 1 } }, { ...invalid, pointers: ['/label/lang'] })
    const made = await service.patch(path, { label: { lang: 'en', side: 1 } })
    expect(made.body.label).toEqual({ id: 'en,1', lang: 'en', side: 1, text: null })
    await service.refuse('POST', `${path}/label`, { lang: 'de', side: 2 }, { code: 'CRUD_ERR_EXISTS' })
    expect((await service.put(path, { ...made.body, label: { text: 't' } })).body.label).toEqual({
      id: 'en,1',
      lang: 'en',
      side: 1,
      text: 't',
    })
    expect((await service.put(path, { ...made.body, label: {} })).body.label).toMatchObject({ text: null })
    expect((await service.put(path, user)).body.label).toBeNull()
    expect(await service.post(`${path}/label/de,2`, { text: 'u' })).toMatchObject({
      status: 201,
      body: { id: 'de,2', lang: 'de' },
    })
    expect((await service.delete(`${path}/label/de,2`)).status).toBe(204)
    expect((await service.patch(path, { label: { id: 'fr,3' } })).body.label).toEqual({
      id: 'fr,3',
      lang: 'fr',
      side: 3,
      text: null,
    })
    expect((await service.delete(path)).status).toBe(204)
    expect(await service.snapshot(['profile', 'photo', 'badge', 'label'])).toEqual({
      profile: [],
      photo: [],
      badge: [],
      label: [],
    })
  })
})
