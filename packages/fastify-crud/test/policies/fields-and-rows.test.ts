import { Type } from '@sinclair/typebox'
import { createStore, defineResources, needs } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { ada, asCaller, caller } from './support/as-caller.ts'

const staff = defineResources({
  person: {
    fields: {
      name: Type.String(),
      orgId: Type.Integer(),
      pay: Type.Optional(Type.Integer({ access: { View: ['hr'], Edit: ['hr'] } })),
      mail: Type.Optional(Type.String({ access: { Edit: ['hr', 'self'] } })),
    },
  },
  desk: { fields: { no: Type.Integer() }, relations: { person: needs.one('person') } },
})

describeOnBoth('roles that say which rows and which fields a caller has', (database) => {
  const service = useApp(database, staff, {
    plugin: {
      caller,
      policies: {
        person: { hr: true, staff: { View: ({ eb, my }) => eb('orgId', '=', my('org')), Add: true, Edit: true } },
        desk: true,
      },
    },
  })
  const hr = asCaller(service, { user: 9, org: 9, roles: ['hr'] })
  const member = asCaller(service, { ...ada, roles: ['staff'] })
  const all = () => createStore({ db: service.db, resources: staff })
  let person: JsonBody
  let desk: JsonBody

  beforeEach(async () => {
    person = await all().person.create({ name: 'a', orgId: 1, pay: 10, mail: 'm' })
    await all().person.create({ name: 'zebra', orgId: 2, pay: 20 })
    desk = await all().desk.create({ no: 1, personId: person.id })
  })

  test('are kept apart, in whatever order callers come', async () => {
    const { pay: _, ...shown } = person
    for (const _round of [1, 2]) {
      expect((await hr.read('/api/person')).rows).toMatchObject([{ pay: 10 }, { pay: 20 }])
      expect(await member.read('/api/person')).toEqual({ rows: [shown], count: 1 })
      expect((await member.read(`/api/desk/${desk.id}`)).person).toEqual(shown)
      expect((await hr.read(`/api/desk/${desk.id}`)).person).toEqual(person)
    }
    const both = asCaller(service, { user: 1, org: 1, roles: ['staff', 'hr'] })
    expect(await both.read('/api/person')).toMatchObject({ rows: [{ pay: 10 }, { pay: 20 }], count: 2 })
  })

  test('hold together for what is written', async () => {
    const path = `/api/person/${person.id}`
    await member.refuse('PATCH', path, { pay: 1 }, { code: 'CRUD_ERR_INVALID', pointers: ['/pay'] })
    const answer = await member.put(path, { id: person.id, name: 'b', orgId: 1, mail: 'm' })
    expect(answer).toMatchObject({ status: 200, body: { name: 'b' } })
    expect(await all().person.find(person.id)).toEqual({ ...person, name: 'b' })
    expect((await hr.patch(path, { pay: 11 })).body.pay).toBe(11)
    await member.refuse('DELETE', path, undefined, { code: 'CRUD_ERR_FORBIDDEN' })
    expect((await member.post('/api/person', { name: 'n', orgId: 1 })).body).not.toHaveProperty('pay')
  })
})
