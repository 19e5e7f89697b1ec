import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { codeOfForeignId } from '../../../../test/support/test-ids.ts'

const contacts = defineResources({
  person: { fields: { name: Type.String() }, relations: { address: owns.one('address') } },
  company: { fields: { name: Type.String() }, relations: { addresses: owns.many('address') } },
  address: {
    fields: { street: Type.String() },
    relations: { person: ownedBy('person'), company: ownedBy('company'), doors: owns.many('door') },
  },
  door: { fields: { label: Type.String() }, relations: { address: ownedBy('address') } },
})

describeOnBoth('a resource that is owned by several', (database) => {
  const service = useApp(database, contacts)
  let person: JsonBody
  let company: JsonBody

  beforeEach(async () => {
    person = await service.add('/api/person', { name: 'p', address: { street: 's1', doors: [{ label: 'd1' }] } })
    company = await service.add('/api/company', {
      name: 'c',
      addresses: [{ street: 's2', doors: [{ label: 'd2' }] }, { street: 's3' }],
    })
  })

  test('is mounted below each of them', async () => {
    const ofPerson = `/api/person/${person.id}/address`
    const ofCompany = `/api/company/${company.id}/address`
    expect(await service.read(ofPerson)).toEqual({ rows: [person.address], count: 1 })
    expect(await service.read(ofCompany)).toEqual({ rows: company.addresses, count: 2 })
    const { id, doors } = person.address
    expect(await service.read(`${ofPerson}/${id}/door/${doors[0].id}`)).toEqual(doors[0])
    await service.refuse('GET', `${ofCompany}/${id}`, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
    await service.refuse('GET', `${ofCompany}/${id}/door`, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
    await service.refuse('POST', ofPerson, { street: 'x' }, { code: 'CRUD_ERR_EXISTS' })
    expect((await service.post(ofCompany, { street: 'x' })).status).toBe(201)
  })

  test('each record is owned through exactly one', async () => {
    await service.refuse(
      'PATCH',
      `/api/company/${company.id}`,
      { addresses: [{ id: person.address.id, street: 'x' }] },
      {
        code: codeOfForeignId,
        pointers: ['/addresses/0/id'],
      },
    )
    await service.refuse(
      'PATCH',
      `/api/person/${person.id}`,
      { address: { id: company.addresses[0].id } },
      {
        code: 'CRUD_ERR_UNKNOWN_REFERENCE',
        pointers: ['/address/id'],
      },
    )
  })

  test("a write below one leaves the other's", async () => {
    const [first] = company.addresses
    await service.put(`/api/company/${company.id}`, { name: 'c', addresses: [first] })
    expect(await service.read(`/api/person/${person.id}`)).toEqual(person)
    expect((await service.delete(`/api/person/${person.id}`)).status).toBe(204)
    expect(await service.read(`/api/company/${company.id}`)).toEqual({ ...company, addresses: [first] })
    expect((await service.snapshot()).door).toHaveLength(1)
  })
})
