import { Type } from '@sinclair/typebox'
import { defineResources, type IdDeclaration, knows, type Model, needs, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import { expectProblem } from '../../../../../test/support/problem.ts'
import { at, chosenKinds } from './kinds.ts'

/** A profile has the id of its user, and whatever other records have: children, links, records that need it. */
function modelOf(id: IdDeclaration) {
  const named = { id, fields: { name: Type.String() } } as const
  return defineResources({
    user: { ...named, relations: { profile: owns.one('profile') } },
    profile: {
      id: ['user'],
      fields: { bio: Type.String() },
      relations: {
        user: ownedBy('user'),
        hobbies: owns.many('hobby'),
        badges: owns.many('badge'),
        settings: owns.one('settings'),
        tags: knows.many('tag'),
        best: knows.one('profile'),
      },
    },
    hobby: { ...named, relations: { profile: ownedBy('profile') } },
    badge: {
      id: ['profile', 'tag'],
      fields: { level: Type.Integer() },
      relations: { profile: ownedBy('profile'), tag: needs.one('tag') },
    },
    settings: { id: ['profile'], fields: { theme: Type.String() }, relations: { profile: ownedBy('profile') } },
    tag: named,
    visit: { ...named, relations: { profile: needs.one('profile') } },
  }) as Model
}

for (const { title, id, next, free } of chosenKinds()) {
  describeOnBoth(`ids that are the owner's, of the kind: ${title}`, (database) => {
    const service = useApp(database, modelOf(id))
    const named = (name: string, others: object = {}) => ({ ...(next && { id: next() }), name, ...others })
    let tags: JsonBody[]
    let user: JsonBody
    let path: string

    beforeEach(async () => {
      tags = [await service.add('/api/tag', named('s')), await service.add('/api/tag', named('t'))]
      const profile = {
        bio: 'b',
        hobbies: [named('h'), named('i')],
        badges: tags.map((tag, index) => ({ tagId: tag.id, level: index })),
        settings: { theme: 'dark' },
        tags: [{ id: tags[0]?.id }],
      }
      user = await service.add('/api/user', named('u', { profile }))
      path = at('/api/user', user.id)
    })

    test('the whole tree is made by one POST, and read as it was answered', async () => {
      expect(user.profile).toMatchObject({ id: user.id, bio: 'b', settings: { id: user.id, theme: 'dark' } })
      expect(user.profile.hobbies.map((one: JsonBody) => one.name).sort()).toEqual(['h', 'i'])
      expect(user.profile.badges.map((one: JsonBody) => one.level).sort()).toEqual([0, 1])
      expect(user.profile.tags).toHaveLength(1)
      expect(await service.read(path)).toEqual(user)
      const profile = at(`${path}/profile`, user.id)
      expect(await service.read(profile)).toEqual(user.profile)
      expect((await service.read(`${path}/profile`)).rows).toEqual([user.profile])
      expect(await service.read(at(`${profile}/settings`, user.id))).toEqual(user.profile.settings)
      expect((await service.read(`${profile}/badge`)).rows).toEqual(user.profile.badges)
      const [badge] = user.profile.badges
      expect(await service.read(at(`${profile}/badge`, badge.id))).toEqual(badge)
      const before = await service.snapshot()
      expect(await service.put(path, user)).toMatchObject({ status: 200, body: user })
      expect(await service.put(`${path}/profile`, user.profile)).toMatchObject({ status: 200, body: user.profile })
      expect(await service.snapshot()).toEqual(before)
    })

    test('a PUT changes, adds and removes at any depth', async () => {
      const [, hobby] = user.profile.hobbies
      const badges = [{ tagId: tags[1]?.id, level: 7 }]
      const profile = { ...user.profile, hobbies: [{ ...hobby, name: 'j' }, named('k')], badges, settings: null }
      const put = await service.put(path, { ...user, profile })
      expect(put.status).toBe(200)
      expect(put.body.profile.badges).toMatchObject([{ id: tags[1]?.id, tagId: tags[1]?.id, level: 7 }])
      expect(put.body.profile.hobbies.map((one: JsonBody) => one.name).sort()).toEqual(['j', 'k'])
      expect(put.body.profile.settings).toBeNull()
      expect(await service.read(path)).toEqual(put.body)
      const again = await service.patch(path, { profile: { settings: { theme: 'light' } } })
      expect(again.body.profile.settings).toEqual({ id: user.id, theme: 'light' })
    })

    test('the record is removed and made again below its owner', async () => {
      const gone = await service.patch(path, { profile: null })
      expect(gone).toMatchObject({ status: 200, body: { profile: null } })
      expect(await service.db.selectFrom('badge').selectAll().execute()).toEqual([])
      const made = await service.post(`${path}/profile`, { bio: 'c', badges: [{ tagId: tags[0]?.id, level: 3 }] })
      expect(made).toMatchObject({ status: 201, body: { id: user.id, bio: 'c', badges: [{ level: 3 }] } })
      expect(await service.delete(at(`${path}/profile`, user.id))).toMatchObject({ status: 204 })
      const patched = await service.patch(path, {
        profile: { bio: 'd', hobbies: [named('h')], badges: [{ tagId: tags[0]?.id, level: 4 }] },
      })
      expect(patched).toMatchObject({ status: 200, body: { profile: { id: user.id, badges: [{ level: 4 }] } } })
      expect(await service.read(path)).toEqual(patched.body)
    })

    test('its id may be in a body, and is never another one', async () => {
      expect(await service.patch(path, { profile: { id: user.id, bio: 'x' } })).toMatchObject({ status: 200 })
      const other = await service.add('/api/user', named('v'))
      const foreign = { profile: { id: other.id, bio: 'y' } }
      const unknown = { code: 'CRUD_ERR_UNKNOWN_REFERENCE', pointers: ['/profile/id'] } as const
      await service.refuse('PATCH', path, foreign, unknown)
      const another = at('/api/user', other.id)
      await service.refuse('PATCH', another, { profile: { id: user.id, bio: 'y' } }, unknown)
      await service.refuse('POST', '/api/user', named('w', { profile: { id: user.id, bio: 'y' } }), unknown)
      expect(await service.read(path)).toMatchObject({ profile: { bio: 'x' } })
      expect(await service.read(at('/api/user', other.id))).toMatchObject({ profile: null })
    })

    test('a POST under another id than the owner’s is 400 about the path, whether there is such a record or not', async () => {
      await service.delete(at(`${path}/profile`, user.id))
      const other = await service.add('/api/user', named('v'))
      const before = await service.snapshot()
      for (const wrong of [other.id, free]) {
        for (const body of [{ bio: 'x' }, { bio: 'x', id: wrong }]) {
          const refusal = await service.post(at(`${path}/profile`, wrong), body)
          expectProblem(refusal, { code: 'CRUD_ERR_INVALID', parameters: ['id'] })
          expect(refusal.body.errors[0].message).toBe(`is not the id of the owner, ${JSON.stringify(user.id)}`)
        }
      }
      const invalid = { code: 'CRUD_ERR_INVALID', pointers: ['/bio'] } as const
      await service.refuse('POST', at(`${path}/profile`, other.id), { bio: 7 }, invalid)
      expect(await service.snapshot()).toEqual(before)
      expect(await service.post(at(`${path}/profile`, user.id), { bio: 'x' })).toMatchObject({ status: 201 })
    })

    test('other records need it, know it and find it by its id', async () => {
      const visit = await service.add('/api/visit', named('v', { profileId: user.id }))
      await service.refuse('PATCH', path, { profile: null }, { code: 'CRUD_ERR_STILL_NEEDED' })
      await service.refuse('DELETE', path, undefined, { code: 'CRUD_ERR_STILL_NEEDED' })
      const other = await service.add('/api/user', named('v', { profile: { bio: 'o', bestId: user.id } }))
      expect(other.profile).toMatchObject({ bestId: user.id })
      const mine = encodeURIComponent(user.id)
      expect((await service.read(`/api/visit?filter[profile.id]=${mine}`)).rows).toMatchObject([{ id: visit.id }])
      expect((await service.read(`/api/user?filter[profile.id]=${mine}`)).rows).toMatchObject([{ id: user.id }])
      expect((await service.read(`/api/user?filter[profile.bestId]=${mine}`)).rows).toMatchObject([{ id: other.id }])
      expect((await service.read('/api/user?sort=-profile.id')).rows).toHaveLength(2)
      expect(await service.delete(at('/api/visit', visit.id))).toMatchObject({ status: 204 })
      expect(await service.delete(path)).toMatchObject({ status: 204 })
      expect((await service.read(at('/api/user', other.id))).profile).toMatchObject({ bestId: null })
    })

    test('several new owners in one request each get their own', async () => {
      const made = await Promise.all(
        ['a', 'b', 'c'].map((name) =>
          service.add('/api/user', named(name, { profile: { bio: name, settings: { theme: name } } })),
        ),
      )
      for (const one of made) {
        expect(one.profile).toMatchObject({ id: one.id, bio: one.name, settings: { id: one.id, theme: one.name } })
        expect(await service.read(at('/api/user', one.id))).toEqual(one)
      }
    })
  })
}
