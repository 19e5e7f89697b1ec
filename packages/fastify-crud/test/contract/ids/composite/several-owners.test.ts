import { Type } from '@sinclair/typebox'
import { defineResources, type Model, ModelError, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../../test/support/json-body.ts'
import { at } from '../kinds.ts'

// The owner is no part of an id where there may be one or the other. Then the id is the same behind each relation.

const place = (id: readonly string[]) =>
  defineResources({
    person: {
      id: 'integer',
      fields: { name: Type.String() },
      relations: { homes: owns.many('place', { inverse: 'homeOf' }), works: owns.many('place', { inverse: 'workOf' }) },
    },
    company: {
      id: 'integer',
      fields: { name: Type.String() },
      relations: { seat: owns.one('place', { inverse: 'company' }) },
    },
    place: {
      id,
      fields: { street: Type.String(), number: Type.Integer(), note: Type.Optional(Type.String()) },
      relations: { homeOf: ownedBy('person'), workOf: ownedBy('person'), company: ownedBy('company') },
    },
  } as never) as Model

test('one of several owners is no part of an id, as a record of another owner would lack it', () => {
  for (const owner of ['homeOf', 'workOf', 'company']) {
    expect(() => place([owner, 'street'])).toThrow(ModelError)
    expect(() => place([owner, 'street'])).toThrow(`place.id: '${owner}' `)
  }
})

describeOnBoth('children of several owners, whose ids have several parts', (database) => {
  const service = useApp(database, place(['street', 'number']))
  const exists = { code: 'CRUD_ERR_EXISTS' } as const
  let person: JsonBody
  let path: string
  let company: JsonBody
  let companyPath: string

  beforeEach(async () => {
    const homes = [
      { street: 'a,b', number: 1 },
      { street: 'a', number: 2 },
    ]
    person = await service.add('/api/person', { name: 'p', homes, works: [{ street: 'w', number: 1 }] })
    path = `/api/person/${person.id}`
    company = await service.add('/api/company', { name: 'c', seat: { street: 's', number: 0 } })
    companyPath = `/api/company/${company.id}`
  })

  test('have the same id behind each relation', async () => {
    expect(person.homes.map(({ id }: JsonBody) => id)).toEqual(['a,2', 'a~1b,1'])
    expect(company.seat.id).toBe('s,0')
    for (const [collection, records] of [
      [`${path}/homes`, person.homes],
      [`${path}/works`, person.works],
      [`${companyPath}/place`, [company.seat]],
    ] as const) {
      expect((await service.read(collection)).rows).toEqual(records)
      for (const record of records) {
        const its = at(collection, record.id)
        expect(await service.read(its)).toEqual(record)
        expect(await service.put(its, record)).toMatchObject({ status: 200, body: record })
        expect(await service.patch(its, { note: 'n' })).toMatchObject({ status: 200, body: { ...record, note: 'n' } })
      }
    }
    await service.refuse('GET', at(`${path}/works`, 'a,2'), undefined, { code: 'CRUD_ERR_NOT_FOUND' })
    await service.refuse('DELETE', at(`${companyPath}/place`, 'a,2'), undefined, { code: 'CRUD_ERR_NOT_FOUND' })
  })

  test('are changed by a PUT behind their own relation only', async () => {
    const homes = [
      { id: 'a,2', note: 'x' },
      { street: 'new', number: 3 },
    ]
    const put = await service.put(path, { name: 'p', homes, works: person.works })
    expect(put.body).toMatchObject({ homes: [{ id: 'a,2', note: 'x' }, { id: 'new,3' }], works: person.works })
    const emptied = await service.put(path, { ...put.body, works: [] })
    expect(emptied.body).toEqual({ ...put.body, works: [] })
    expect(await service.read(companyPath)).toEqual(company)
    expect(await service.put(path, emptied.body)).toMatchObject({ status: 200, body: emptied.body })
  })

  test('are never taken from another owner, nor from another relation of the same', async () => {
    const taken = { street: 'w', number: 1 }
    await service.refuse('PATCH', path, { homes: [taken] }, { ...exists, pointers: ['/homes/0'] })
    await service.refuse('PATCH', path, { homes: [{ id: 'w,1' }] }, { ...exists, pointers: ['/homes/0/id'] })
    await service.refuse('PUT', path, { ...person, homes: [taken], works: [] }, { ...exists, pointers: ['/homes/0'] })
    await service.refuse(
      'PATCH',
      companyPath,
      { seat: taken },
      { code: 'CRUD_ERR_UNKNOWN_REFERENCE', pointers: ['/seat'] },
    )
    await service.refuse('POST', `${path}/homes`, { street: 's', number: 0 }, exists)
    await service.refuse('POST', '/api/company', { name: 'd', seat: taken }, { ...exists, pointers: ['/seat'] })
    const twice = { homes: [{ street: 'z', number: 1 }], works: [{ street: 'z', number: 1 }] }
    await service.refuse('PATCH', path, twice, { ...exists, pointers: ['/works/0'] })
    await service.refuse('POST', '/api/person', { name: 'q', ...twice }, { ...exists, pointers: ['/works/0'] })
    expect(await service.read(path)).toEqual(person)
  })

  test('go with their own owner', async () => {
    expect((await service.delete(path)).status).toBe(204)
    expect((await service.snapshot(['place'])).place).toHaveLength(1)
    expect(await service.read(companyPath)).toEqual(company)
  })
})
