import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnDrivers } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { writesIn } from '../../../../test/support/statement-log.ts'
import { anyId, chosenId, clientGivesIds, missingId } from '../../../../test/support/test-ids.ts'
import { threeLevels } from './models/three-levels.ts'

describeOnDrivers('an owned tree of three levels', (database) => {
  const service = useApp(database, threeLevels)
  let a: JsonBody
  let other: JsonBody
  let path: string

  beforeEach(async () => {
    const bs = [
      { name: 'b1', note: 'n1', cs: [{ name: 'c1', note: 'm1' }, { name: 'c2' }] },
      { name: 'b2', cs: [{ name: 'c3' }] },
    ]
    a = await service.add('/api/a', { name: 'a', bs })
    other = await service.add('/api/a', { name: 'o', bs })
    path = `/api/a/${a.id}`
  })

  test('POST creates it whole', async () => {
    expect(a).toEqual({
      id: anyId,
      name: 'a',
      bs: [
        {
          id: anyId,
          name: 'b1',
          note: 'n1',
          cs: [
            { id: anyId, name: 'c1', note: 'm1' },
            { id: anyId, name: 'c2', note: null },
          ],
        },
        { id: anyId, name: 'b2', note: null, cs: [{ id: anyId, name: 'c3', note: null }] },
      ],
      only: null,
    })
    expect(await service.read(path)).toEqual(a)
  })

  const withId = (id: unknown) => ({ name: 'x', bs: [{ name: 'b', cs: [{ id, name: 'c' }] }] })

  if (clientGivesIds) {
    test('an id at any depth of a POST is that of the record, and 409 if it exists', async () => {
      const id = chosenId('c')
      expect(await service.add('/api/a', withId(id))).toMatchObject(withId(id))
      const exists = { code: 'CRUD_ERR_EXISTS', pointers: ['/bs/0/cs/0/id'] } as const
      for (const taken of [id, a.bs[0].cs[0].id]) await service.refuse('POST', '/api/a', withId(taken), exists)
    })
  } else {
    test('an id at any depth of a POST is 400', async () => {
      const invalid = { code: 'CRUD_ERR_INVALID', pointers: ['/bs/0/cs/0/id'] } as const
      for (const id of [a.bs[0].cs[0].id, missingId('c')]) await service.refuse('POST', '/api/a', withId(id), invalid)
    })
  }

  test('PUT drops a child: its grandchildren go', async () => {
    const { body } = await service.put(path, { ...a, bs: [a.bs[1]] })
    expect(body).toEqual({ ...a, bs: [a.bs[1]] })
    const { b, c } = await service.snapshot(['b', 'c'])
    expect([b?.length, c?.length]).toEqual([3, 4])
    expect(await service.read(`/api/a/${other.id}`)).toEqual(other)
  })

  test('PUT keeps a child and leaves out its `children`: the rule of PUT holds at that depth too', async () => {
    const { cs: _, ...b1 } = a.bs[0]
    const { body } = await service.put(path, { ...a, bs: [b1, a.bs[1]] })
    expect(body.bs).toEqual([{ ...b1, cs: [] }, a.bs[1]])
    expect(await service.read(path)).toEqual(body)
  })

  test('PUT updates, adds and removes at every depth at once', async () => {
    const [b1, b2] = a.bs
    const { body } = await service.put(path, {
      name: 'a',
      bs: [
        { id: b1.id, name: 'b1', cs: [{ name: 'new' }, { id: b1.cs[1].id, name: 'c2', note: 'm2' }] },
        { name: 'b3', cs: [{ name: 'c4' }, { name: 'c5' }] },
      ],
    })
    expect(body.bs).toEqual([
      {
        id: b1.id,
        name: 'b1',
        note: null,
        cs: [
          { id: b1.cs[1].id, name: 'c2', note: 'm2' },
          { id: anyId, name: 'new', note: null },
        ],
      },
      {
        id: anyId,
        name: 'b3',
        note: null,
        cs: [
          { id: anyId, name: 'c4', note: null },
          { id: anyId, name: 'c5', note: null },
        ],
      },
    ])
    expect(await service.read(path)).toEqual(body)
    await service.refuse('GET', `${path}/b/${b2.id}`, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
    expect(await service.read(`/api/a/${other.id}`)).toEqual(other)
  })

  test('PATCH with a grandchild inside a listed child changes that one only', async () => {
    const [b1, b2] = a.bs
    const [c1, c2] = b1.cs
    const { status, body } = await service.patch(path, { bs: [{ id: b1.id, cs: [{ id: c2.id, name: 'new' }] }] })
    expect(status).toBe(200)
    expect(body).toEqual({ ...a, bs: [{ ...b1, cs: [c1, { ...c2, name: 'new' }] }, b2] })
    expect(await service.read(path)).toEqual(body)
    expect(await service.read(`/api/a/${other.id}`)).toEqual(other)
  })

  test('PATCH adds a grandchild, and a child with grandchildren', async () => {
    const [b1, b2] = a.bs
    const { body } = await service.patch(path, {
      bs: [
        { name: 'b3', cs: [{ name: 'c4' }] },
        { id: b2.id, cs: [{ name: 'c5' }] },
      ],
    })
    expect(body.bs).toEqual([
      b1,
      { ...b2, cs: [...b2.cs, { id: anyId, name: 'c5', note: null }] },
      { id: anyId, name: 'b3', note: null, cs: [{ id: anyId, name: 'c4', note: null }] },
    ])
  })

  test('PATCH that lists ids alone at every depth writes nothing', async () => {
    const bs = a.bs.map((b: JsonBody) => ({ id: b.id, cs: b.cs.map(({ id }: JsonBody) => ({ id })) }))
    const statements = await service.statements(async () => {
      expect((await service.patch(path, { bs })).body).toEqual(a)
    })
    expect(writesIn(statements)).toEqual([])
  })

  test('PATCH `[]` and null at a depth: the rules are the same', async () => {
    const { id } = a.bs[0]
    expect((await service.patch(path, { bs: [{ id, cs: [] }] })).body).toEqual(a)
    await service.refuse(
      'PATCH',
      path,
      { bs: [{ id, cs: null }] },
      { code: 'CRUD_ERR_INVALID', pointers: ['/bs/0/cs'] },
    )
    await service.refuse(
      'PUT',
      path,
      { name: 'a', bs: [{ id, name: 'b', cs: null }] },
      {
        code: 'CRUD_ERR_INVALID',
        pointers: ['/bs/0/cs'],
      },
    )
  })

  test('DELETE takes the whole tree, and nothing else', async () => {
    expect((await service.delete(path)).status).toBe(204)
    expect((await service.read('/api/a')).rows).toEqual([other])
    const { a: as, b, c } = await service.snapshot()
    expect([as?.length, b?.length, c?.length]).toEqual([1, 2, 3])
  })
})
