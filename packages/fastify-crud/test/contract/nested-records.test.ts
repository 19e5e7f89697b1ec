import { Type } from '@sinclair/typebox'
import { defineResources, knows, needs, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { updatesIn } from '../../../../test/support/statement-log.ts'
import { clientGivesIds, missingId, noIds } from '../../../../test/support/test-ids.ts'

const people = defineResources({
  avatar: { fields: { url: Type.String() } },
  team: { fields: { name: Type.String() } },
  person: {
    fields: { name: Type.String(), note: Type.Optional(Type.String()) },
    relations: {
      avatar: knows.one('avatar'),
      team: needs.one('team'),
      pets: owns.many('pet'),
      desk: owns.one('desk'),
    },
  },
  pet: { fields: { name: Type.String() }, relations: { person: ownedBy('person'), avatar: knows.one('avatar') } },
  desk: {
    fields: { place: Type.Optional(Type.String()) },
    relations: { person: ownedBy('person'), avatar: knows.one('avatar'), lamps: owns.many('lamp') },
  },
  lamp: { relations: { desk: ownedBy('desk'), avatar: knows.one('avatar') } },
})

function setBy(...pointers: string[]) {
  return { code: 'CRUD_ERR_INVALID', pointers } as const
}

describeOnBoth('a nested record of needs.one or knows.one without its foreign key', (database) => {
  const service = useApp(database, people)
  let first: JsonBody
  let second: JsonBody
  let team: JsonBody
  let person: JsonBody
  let path: string

  beforeEach(async () => {
    first = await service.add('/api/avatar', { url: '/1' })
    second = await service.add('/api/avatar', { url: '/2' })
    team = await service.add('/api/team', { name: 't' })
    person = await service.add('/api/person', {
      name: 'p',
      teamId: team.id,
      avatarId: first.id,
      pets: [{ name: 'a', avatarId: first.id }, { name: 'b' }],
      desk: { avatarId: first.id, lamps: [{ avatarId: first.id }] },
    })
    path = `/api/person/${person.id}`
  })

  test('PATCH is 400 where it is not the record that the foreign key names', async () => {
    for (const avatar of [
      { id: second.id },
      { id: missingId('avatar') },
      ...noIds('avatar', first.id).map((id) => ({ id })),
      { id: null },
      { url: '/1' },
      {},
      null,
    ]) {
      await service.refuse('PATCH', path, { avatar }, setBy('/avatar'))
      await service.refuse('PATCH', path, { avatar, name: 'q' }, setBy('/avatar'))
      await service.refuse('PATCH', path, { avatar, name: 'p', id: person.id }, setBy('/avatar'))
    }
    const { errors } = await service.refuse('PATCH', path, { avatar: { id: second.id } }, setBy('/avatar'))
    expect(errors[0].message).toBe(
      'is set by avatarId, which names another record or none: send avatarId to change it, or leave out avatar',
    )
    await service.refuse('PATCH', path, { team: null }, setBy('/team'))
    await service.refuse('PATCH', path, { team: { id: missingId('team') } }, setBy('/team'))
  })

  test('PATCH is 400 where the foreign key is null and the nested record is not', async () => {
    const [, pet] = person.pets
    for (const avatar of [first, {}, { id: null }]) {
      await service.refuse('PATCH', `${path}/pet/${pet.id}`, { avatar }, setBy('/avatar'))
    }
  })

  test('PATCH is good where it is that record, whatever else it says', async () => {
    const [, pet] = person.pets
    const statements = await service.statements(async () => {
      for (const avatar of [first, { id: first.id }, { id: first.id, url: 'other' }]) {
        expect(await service.patch(path, { avatar, team })).toMatchObject({ status: 200, body: person })
      }
      expect(await service.patch(`${path}/pet/${pet.id}`, { avatar: null })).toMatchObject({ status: 200, body: pet })
    })
    expect(updatesIn(statements)).toEqual([])
    expect((await service.patch(path, { avatar: first, name: 'q' })).body).toEqual({ ...person, name: 'q' })
    expect((await service.patch(`${path}/pet/${pet.id}`, { avatar: null, name: 'c' })).body).toEqual({
      ...pet,
      name: 'c',
    })
  })

  test('PUT is 400 with a nested record, as it would clear the foreign key; null is good', async () => {
    const { avatarId, ...rest } = person
    const { errors } = await service.refuse('PUT', path, rest, setBy('/avatar'))
    expect(errors[0].message).toBe('is set by avatarId, which is missing: send avatarId, or leave out avatar')
    for (const avatar of [{ id: avatarId }, {}]) {
      await service.refuse('PUT', path, { ...rest, avatar }, setBy('/avatar'))
    }
    const { body } = await service.put(path, { ...rest, avatar: null })
    expect(body).toEqual({ ...person, avatarId: null, avatar: null })
  })

  test('POST is 400 with a nested record; null is good', async () => {
    const body = { name: 'q', teamId: team.id }
    await service.refuse('POST', '/api/person', { ...body, avatar: first }, setBy('/avatar'))
    await service.refuse('POST', '/api/person', { ...body, avatar: {} }, setBy('/avatar'))
    expect(await service.add('/api/person', { ...body, avatar: null })).toMatchObject({ avatarId: null, avatar: null })
  })

  test('POST and PUT name only the foreign key where it is required', async () => {
    await service.refuse('POST', '/api/person', { name: 'q', team }, setBy('/teamId'))
    const { teamId: _, ...rest } = person
    await service.refuse('PUT', path, rest, setBy('/teamId'))
  })

  test('what is no record at all is one problem', async () => {
    for (const avatar of [5, 'x', [], [first]]) {
      const refused = await service.refuse(
        'POST',
        '/api/person',
        { name: 'q', teamId: team.id, avatar },
        setBy('/avatar'),
      )
      expect(refused.errors).toHaveLength(1)
      await service.refuse('PATCH', path, { avatar }, setBy('/avatar'))
    }
  })

  test('the rule holds for owned records, listed and new, at every depth', async () => {
    const [pet] = person.pets
    const [lamp] = person.desk.lamps
    const wrong = {
      pets: [
        { id: pet.id, avatar: second },
        { name: 'new', avatar: first },
      ],
      desk: {
        avatar: null,
        lamps: [{ id: lamp.id, avatar: null }, { avatar: first }],
      },
    }
    const places = ['/pets/0/avatar', '/pets/1/avatar', '/desk/avatar', '/desk/lamps/0/avatar', '/desk/lamps/1/avatar']
    // What the body alone tells is told before what the record tells. Where clients give ids, only the record tells which elements are new.
    const toldFirst = clientGivesIds ? places : ['/pets/1/avatar', '/desk/lamps/1/avatar']
    await service.refuse('PATCH', path, wrong, setBy(...toldFirst))
    const onlyListed = { pets: wrong.pets.slice(0, 1), desk: { avatar: null, lamps: wrong.desk.lamps.slice(0, 1) } }
    await service.refuse('PATCH', path, onlyListed, setBy('/pets/0/avatar', '/desk/avatar', '/desk/lamps/0/avatar'))
    const whole = { name: 'p', teamId: team.id, ...structuredClone(wrong) }
    const withNested = JSON.parse(JSON.stringify(whole).replaceAll('"avatar":null', '"avatar":{"id":1}'))
    withNested.pets[0].name = 'a'
    await service.refuse('PUT', path, withNested, setBy(...places))
    const asNew = {
      name: 'q',
      teamId: team.id,
      pets: [{ name: 'c', avatar: first }],
      desk: { lamps: [{ avatar: first }] },
    }
    await service.refuse('POST', '/api/person', asNew, setBy('/pets/0/avatar', '/desk/lamps/0/avatar'))
    const good = {
      pets: [{ id: pet.id, avatar: first }],
      desk: { avatar: first, lamps: [{ id: lamp.id, avatar: first }] },
    }
    expect((await service.patch(path, good)).body).toEqual(person)
  })

  test('a child that PATCH creates as there is none has no foreign key yet', async () => {
    const { id } = await service.add('/api/person', { name: 'q', teamId: team.id })
    await service.refuse('PATCH', `/api/person/${id}`, { desk: { avatar: first } }, setBy('/desk/avatar'))
    await service.patch(`/api/person/${id}`, { desk: { avatar: null } })
  })

  test('beside its foreign key it is not compared, wherever it stands', async () => {
    const stale = { id: second.id, url: 'old' }
    for (const body of [
      { avatar: stale, avatarId: first.id },
      { avatarId: first.id, avatar: stale },
      { avatar: null, avatarId: first.id },
      { avatar: {}, avatarId: first.id },
    ]) {
      expect(await service.patch(path, body)).toMatchObject({ status: 200, body: person })
      expect(await service.put(path, { ...person, ...body })).toMatchObject({ status: 200, body: person })
    }
    expect((await service.patch(path, { avatar: first, avatarId: null })).body.avatar).toBeNull()
    expect((await service.patch(path, { avatar: null, avatarId: second.id })).body.avatar).toEqual(second)
  })
})
