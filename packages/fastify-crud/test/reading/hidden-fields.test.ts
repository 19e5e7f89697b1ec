import { Type } from '@sinclair/typebox'
import { defineResources, neededBy, needs } from 'fastify-crud'
import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { caller, headersOf } from '../policies/support/as-caller.ts'
import { expectRefused, refusalWithout } from './support/expect-refused.ts'
import { jsonFilter } from './support/spellings.ts'
import { useFilledApp } from './support/use-filled-app.ts'

const staff = defineResources({
  person: {
    fields: {
      name: Type.String(),
      rank: Type.String({ readOnly: true, default: 'new' }),
      wage: Type.Optional(Type.Integer({ access: { View: ['hr'], Edit: ['hr'] } })),
      secret: Type.Optional(Type.String({ writeOnly: true })),
    },
    relations: { desks: neededBy.many('desk') },
  },
  desk: { fields: { place: Type.Integer() }, relations: { person: needs.one('person') } },
})

/** The queries about a field of a person, of both resources. */
const queriesOf = (field: string) => [
  `/api/person?filter[${field}]=1`,
  `/api/person?filter[${field}][null]=true`,
  `/api/person?${jsonFilter({ or: [{ name: 'Ada' }, { not: { [field]: { gt: 1 } } }] })}`,
  `/api/person?sort=${field}`,
  `/api/person?sort=name,-${field}`,
  `/api/person?sort=lower(${field})`,
  `/api/person?fields=name,${field}`,
  `/api/person?fields=name,count(${field})`,
  `/api/person?include=${field}`,
  `/api/desk?filter[person.${field}]=1`,
  `/api/desk?sort=-person.${field}`,
  `/api/desk?fields=person.${field}`,
  `/api/person?${jsonFilter({ 'desks.person.name': 'Ada', [`desks.person.${field}`]: 1 })}`,
  `/api/person?${jsonFilter({ desks: { some: { [`person.${field}`]: 1 } } })}`,
  `/api/desk?include=person.desks&nested[person.desks][sort]=person.${field}`,
  `/api/desk?include=person.desks&nested[person.desks][filter]=${encodeURIComponent(`{"person.${field}":1}`)}`,
]

describeOnBoth('a field that a caller may not see', (database) => {
  const ids: Record<string, number> = {}
  const service = useFilledApp(database, staff, { plugin: { caller } }, async (db) => {
    for (const [name, wage] of [
      ['Ada', 20],
      ['Bo', 10],
    ] as const) {
      const person = { name, wage, rank: 'new', secret: `zebra ${name}` }
      const { id } = await db.insertInto('person').values(person).returning('id').executeTakeFirstOrThrow()
      await db.insertInto('desk').values({ place: 1, personId: id }).execute()
      ids[name] = Number(id)
    }
  })
  const as = (path: string, ...roles: string[]) => service.request('GET', path, undefined, headersOf({ roles }))

  test('is an unknown name in each part of a query, with the words for one that is not there', async () => {
    const unknown = queriesOf('xqzj')
    for (const [field, roles] of [
      ['wage', []],
      ['wage', ['clerk']],
      ['secret', []],
      ['secret', ['hr']],
    ] as const) {
      for (const [n, path] of queriesOf(field).entries()) {
        const answer = await as(path, ...roles)
        expectRefused(answer, field)
        const missing = await as(unknown[n] as string, ...roles)
        expect(refusalWithout(answer, field), path).toBe(refusalWithout(missing, 'xqzj'))
      }
    }
  })

  test('is in no suggestion for a name that is much like it', async () => {
    for (const path of [...queriesOf('wagee'), ...queriesOf('secrett')]) {
      const { body } = await as(path)
      expect(JSON.stringify(body).replaceAll(/wagee|secrett/g, '')).not.toMatch(/wage|secret'/)
    }
  })

  test('is a field as any other for those who may see it', async () => {
    const names = async (query: string) =>
      (await as(`/api/person?${query}`, 'hr')).body.rows.map(({ name }: JsonBody) => name)
    expect(await names('filter[wage][gt]=15')).toEqual(['Ada'])
    expect(await names('sort=wage')).toEqual(['Bo', 'Ada'])
    expect((await as('/api/person?fields=wage', 'hr')).body.rows).toEqual([
      { id: ids.Ada, wage: 20, partial: true },
      { id: ids.Bo, wage: 10, partial: true },
    ])
    expect((await as('/api/desk?filter[person.wage]=10', 'hr')).body.rows).toHaveLength(1)
  })

  test('does not make a record partial', async () => {
    const { body } = await as(`/api/person/${ids.Ada}?include=desks`)
    expect(body).toMatchObject({ name: 'Ada', desks: [{ place: 1 }] })
    expect(body).not.toHaveProperty('partial')
    expect((await as('/api/person?fields=name,rank')).body.rows[0]).not.toHaveProperty('partial')
  })

  test('is not known from a cursor of one who may see it', async () => {
    const { body } = await as('/api/person?sort=wage&limit=1', 'hr')
    expect((await as(`/api/person?sort=wage&limit=1&after=${encodeURIComponent(body.next)}`)).status).toBe(400)
    const other = await as(`/api/person?limit=1&after=${encodeURIComponent(body.next)}`)
    expect(other.status).toBe(400)
  })

  test('may be used in filters and sorts if it is only readOnly', async () => {
    expect((await as('/api/person?filter[rank]=new&sort=-rank')).body.rows).toHaveLength(2)
  })
})
