import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { updatesIn } from '../../../../test/support/statement-log.ts'
import { anyId, codeOfForeignId } from '../../../../test/support/test-ids.ts'
import { personAddress } from './models/person-address.ts'

describeOnBoth('one owner that owns the same resource twice', (database) => {
  const service = useApp(database, personAddress)
  let person: JsonBody
  let path: string

  beforeEach(async () => {
    person = await service.add('/api/person', {
      name: 'p',
      homes: [{ street: 'h1' }, { street: 'h2', city: 'Rome' }],
      works: [{ street: 'w1' }],
    })
    path = `/api/person/${person.id}`
  })

  test('a record shows both apart', async () => {
    expect(person).toEqual({
      id: person.id,
      name: 'p',
      homes: [
        { id: anyId, street: 'h1', city: null },
        { id: anyId, street: 'h2', city: 'Rome' },
      ],
      works: [{ id: anyId, street: 'w1', city: null }],
    })
    expect(await service.read(path)).toEqual(person)
  })

  test("the path segment is the relation's name", async () => {
    expect(await service.read(`${path}/homes`)).toEqual({ rows: person.homes, count: 2 })
    expect(await service.read(`${path}/works`)).toEqual({ rows: person.works, count: 1 })
    const answer = await service.post(`${path}/works`, { street: 'w2' })
    expect(answer.headers.location).toMatch(new RegExp(`${path}/works/${answer.body.id}$`))
    expect((await service.read(path)).works).toEqual([...person.works, answer.body])
    expect((await service.read(path)).homes).toEqual(person.homes)
    await service.refuse('GET', `${path}/address`, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
    await service.refuse('GET', '/api/address', undefined, { code: 'CRUD_ERR_NOT_FOUND' })
  })

  test('a record of one is not found below the other', async () => {
    const [home] = person.homes
    await service.refuse('GET', `${path}/works/${home.id}`, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
    await service.refuse('PUT', `${path}/works/${home.id}`, { street: 'x' }, { code: 'CRUD_ERR_NOT_FOUND' })
    await service.refuse('DELETE', `${path}/works/${home.id}`, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
  })

  test('PATCH of one never touches the other', async () => {
    const { body } = await service.patch(path, { homes: [{ id: person.homes[0].id, city: 'Oslo' }, { street: 'h3' }] })
    expect(body.homes).toHaveLength(3)
    expect(body.works).toEqual(person.works)
  })

  test('PUT of one never touches the other', async () => {
    const before = await service.read(`${path}/works`)
    const { body } = await service.put(path, { name: 'p', homes: [person.homes[1]], works: person.works })
    expect(body).toEqual({ ...person, homes: [person.homes[1]] })
    expect(await service.read(`${path}/works`)).toEqual(before)
    const emptied = await service.put(path, { name: 'p', works: person.works })
    expect(emptied.body).toEqual({ ...person, homes: [] })
  })

  test('each record is owned through exactly one: an element of the other is 400', async () => {
    const [home] = person.homes
    const [work] = person.works
    const unknown = codeOfForeignId
    await service.refuse(
      'PUT',
      path,
      { ...person, homes: [work], works: [] },
      { code: unknown, pointers: ['/homes/0/id'] },
    )
    await service.refuse(
      'PATCH',
      path,
      { works: [{ id: home.id, street: 'x' }] },
      { code: unknown, pointers: ['/works/0/id'] },
    )
    await service.refuse(
      'PUT',
      path,
      { name: 'p', homes: person.homes, works: [work, home] },
      {
        code: unknown,
        pointers: ['/works/1/id'],
      },
    )
  })

  test('PUT of what GET returned runs no UPDATE', async () => {
    const statements = await service.statements(async () => {
      expect((await service.put(path, person)).body).toEqual(person)
    })
    expect(updatesIn(statements)).toEqual([])
  })

  test('a PUT of one through its endpoint keeps it there', async () => {
    const [home] = person.homes
    const { body } = await service.put(`${path}/homes/${home.id}`, { street: 'new' })
    expect(body).toEqual({ id: home.id, street: 'new', city: null })
    expect(await service.read(path)).toEqual({ ...person, homes: [body, person.homes[1]] })
  })

  test('DELETE of the owner takes both along', async () => {
    const other = await service.add('/api/person', { name: 'q', homes: [{ street: 'h' }] })
    expect((await service.delete(path)).status).toBe(204)
    expect((await service.snapshot()).address).toHaveLength(1)
    expect(await service.read(`/api/person/${other.id}`)).toEqual(other)
  })
})
