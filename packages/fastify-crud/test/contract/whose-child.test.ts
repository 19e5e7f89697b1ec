import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { chosenId, clientGivesIds, codeOfForeignId, isIdOf, missingId } from '../../../../test/support/test-ids.ts'
import { threeLevels } from './models/three-levels.ts'

const unknown = codeOfForeignId

describeOnBoth("an element's id must be one of *this* owner's children", (database) => {
  const service = useApp(database, threeLevels)
  let a: JsonBody
  let other: JsonBody
  let path: string

  beforeEach(async () => {
    const bs = [
      { name: 'b1', cs: [{ name: 'c1' }] },
      { name: 'b2', cs: [{ name: 'c2' }] },
    ]
    a = await service.add('/api/a', { name: 'a', bs })
    other = await service.add('/api/a', { name: 'o', bs })
    path = `/api/a/${a.id}`
  })

  test("a child of another owner, with and without that child's own children", async () => {
    const [foreign] = other.bs
    for (const element of [foreign, { id: foreign.id, name: 'x' }, { id: foreign.id, name: 'x', cs: foreign.cs }]) {
      await service.refuse(
        'PUT',
        path,
        { name: 'x', bs: [...a.bs, element] },
        { code: unknown, pointers: clientGivesIds && 'cs' in element ? ['/bs/2/id', '/bs/2/cs/0/id'] : ['/bs/2/id'] },
      )
      await service.refuse(
        'PATCH',
        path,
        { name: 'x', bs: [element] },
        {
          code: unknown,
          pointers: clientGivesIds && 'cs' in element ? ['/bs/0/id', '/bs/0/cs/0/id'] : ['/bs/0/id'],
        },
      )
    }
  })

  test('a grandchild of a sibling', async () => {
    const [b1, b2] = a.bs
    const bs = [
      { ...b1, cs: [b2.cs[0]] },
      { ...b2, cs: [] },
    ]
    await service.refuse('PUT', path, { name: 'x', bs }, { code: unknown, pointers: ['/bs/0/cs/0/id'] })
    const moved = [{ id: b1.id, cs: [{ id: b2.cs[0].id, name: 'x' }] }]
    await service.refuse('PATCH', path, { bs: moved }, { code: unknown, pointers: ['/bs/0/cs/0/id'] })
  })

  test('a grandchild of a sibling that the same body removes', async () => {
    const [b1, b2] = a.bs
    const bs = [{ ...b1, cs: [...b1.cs, b2.cs[0]] }]
    await service.refuse('PUT', path, { name: 'x', bs }, { code: unknown, pointers: ['/bs/0/cs/1/id'] })
  })

  test("a grandchild of another owner's tree", async () => {
    const [b1, b2] = a.bs
    const element = { id: other.bs[0].cs[0].id, name: 'x' }
    await service.refuse(
      'PUT',
      path,
      { name: 'x', bs: [{ ...b1, cs: [element] }, b2] },
      {
        code: unknown,
        pointers: ['/bs/0/cs/0/id'],
      },
    )
    await service.refuse(
      'PATCH',
      path,
      { bs: [{ id: b1.id, cs: [element] }] },
      { code: unknown, pointers: ['/bs/0/cs/0/id'] },
    )
  })

  test('an id inside an element that is new', async () => {
    const bs = [...a.bs, { name: 'new', cs: [{ id: a.bs[0].cs[0].id, name: 'x' }] }]
    const code = clientGivesIds ? 'CRUD_ERR_EXISTS' : 'CRUD_ERR_INVALID'
    const refused = { code, pointers: ['/bs/2/cs/0/id'] } as const
    await service.refuse('PUT', path, { name: 'x', bs }, refused)
    await service.refuse('PATCH', path, { bs }, refused)
  })

  if (clientGivesIds) {
    test('an id that does not exist makes a new record, at any depth', async () => {
      const [b1] = a.bs
      const [b, c] = [missingId('b'), missingId('c')]
      const { body } = await service.patch(path, {
        bs: [
          { id: b, name: 'y', cs: [] },
          { id: b1.id, cs: [{ id: c, name: 'z' }] },
        ],
      })
      const made = { id: c, name: 'z', note: null }
      expect(body.bs[0]).toEqual({ ...b1, cs: [...b1.cs, made] })
      expect(body.bs.at(-1)).toEqual({ id: b, name: 'y', note: null, cs: [] })
      expect(await service.read(path)).toEqual(body)
    })
  } else {
    test('an id that does not exist is never inserted', async () => {
      const [b1] = a.bs
      await service.refuse(
        'PUT',
        path,
        { name: 'x', bs: [{ id: missingId('b'), name: 'y' }] },
        { code: unknown, pointers: ['/bs/0/id'] },
      )
      await service.refuse(
        'PATCH',
        path,
        { bs: [{ id: b1.id, cs: [{ id: missingId('c'), name: 'y' }] }] },
        {
          code: unknown,
          pointers: ['/bs/0/cs/0/id'],
        },
      )
    })
  }

  test('the same id under two branches of one body is 400', async () => {
    const [b1, b2] = a.bs
    const bs = [b1, { ...b2, cs: [...b2.cs, b1.cs[0]] }]
    const refused = { code: unknown, pointers: ['/bs/1/cs/1/id'] } as const
    await service.refuse('PUT', path, { name: 'x', bs }, refused)
    await service.refuse('PATCH', path, { bs }, refused)
  })

  test("an owner's id is not a child's", async () => {
    const { id } = await service.add(`/api/a/${chosenId('a')}`, { name: 'a', bs: [{ name: 'b' }] })
    const code = isIdOf('b', id) ? unknown : 'CRUD_ERR_INVALID'
    const refused = { code, pointers: ['/bs/0/id'] } as const
    await service.refuse('PUT', `/api/a/${id}`, { name: 'x', bs: [{ id, name: 'y' }] }, refused)
  })

  test('through a nested endpoint the same rule holds', async () => {
    const [b1, b2] = a.bs
    const nested = `${path}/b/${b1.id}`
    const refused = { code: unknown, pointers: ['/cs/0/id'] } as const
    const missing = clientGivesIds ? [] : [{ id: missingId('c'), name: 'x' }]
    for (const element of [b2.cs[0], other.bs[0].cs[0], ...missing]) {
      await service.refuse('PUT', nested, { name: 'x', cs: [element] }, refused)
      await service.refuse('PATCH', nested, { cs: [element] }, refused)
    }
  })
})
