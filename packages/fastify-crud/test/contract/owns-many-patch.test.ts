import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnDrivers } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { writesIn } from '../../../../test/support/statement-log.ts'
import { anyId, chosenId, clientGivesIds, missingId, noIds } from '../../../../test/support/test-ids.ts'
import { ownsMany } from './models/owns-many.ts'

describeOnDrivers('PATCH with owns.many', (database) => {
  const service = useApp(database, ownsMany)
  let parent: JsonBody
  let other: JsonBody
  let path: string

  beforeEach(async () => {
    const children = [
      { name: '1', note: 'n1', grade: 3 },
      { name: '2', note: 'n2', grade: 4 },
    ]
    parent = await service.add('/api/parent', { name: 'a', note: 'x', children })
    other = await service.add('/api/parent', { name: 'b', children })
    path = `/api/parent/${parent.id}`
  })

  test('elements with `id` are updated by the fields they carry', async () => {
    const [first, second] = parent.children
    const { status, body } = await service.patch(path, { children: [{ id: second.id, note: 'new' }] })
    expect(status).toBe(200)
    expect(body).toEqual({ ...parent, children: [first, { ...second, note: 'new' }] })
    expect(await service.read(path)).toEqual(body)
    expect(await service.read(`/api/parent/${other.id}`)).toEqual(other)
  })

  test('elements without are added, others are left alone', async () => {
    const { body } = await service.patch(path, { children: [{ name: '3' }] })
    expect(body.children).toEqual([...parent.children, { id: anyId, name: '3', note: null, grade: 1 }])
    expect(await service.read(path)).toEqual(body)
  })

  test('both at once, with fields of the owner', async () => {
    const [first, second] = parent.children
    const { body } = await service.patch(path, { note: null, children: [{ name: '3' }, { id: first.id, grade: 0 }] })
    expect(body).toEqual({
      ...parent,
      note: null,
      children: [{ ...first, grade: 0 }, second, { id: anyId, name: '3', note: null, grade: 1 }],
    })
  })

  test('`[]` and leaving it out change nothing', async () => {
    expect((await service.patch(path, { children: [] })).body).toEqual(parent)
    expect((await service.patch(path, {})).body).toEqual(parent)
  })

  test('`children: [{ id }]` writes nothing', async () => {
    const statements = await service.statements(async () => {
      const children = parent.children.map(({ id }: JsonBody) => ({ id }))
      expect((await service.patch(path, { children })).body).toEqual(parent)
    })
    expect(writesIn(statements)).toEqual([])
  })

  test('`children: null` is 400', async () => {
    await service.refuse('PATCH', path, { children: null }, { code: 'CRUD_ERR_INVALID', pointers: ['/children'] })
  })

  test('an added element needs its required fields', async () => {
    const children = [{ id: parent.children[0].id, note: 'new' }, { note: 'y' }]
    await service.refuse(
      'PATCH',
      path,
      { name: 'c', children },
      { code: 'CRUD_ERR_INVALID', pointers: ['/children/1/name'] },
    )
  })

  test('null for a required field of an element is 400', async () => {
    const children = [{ id: parent.children[0].id, name: null, grade: null }]
    await service.refuse(
      'PATCH',
      path,
      { children },
      {
        code: 'CRUD_ERR_INVALID',
        pointers: ['/children/0/name', '/children/0/grade'],
      },
    )
  })

  if (clientGivesIds) {
    test("an element with another owner's id is 409, one with an unknown id is created", async () => {
      const [first] = parent.children
      const taken = [first, { id: other.children[0].id, name: 'y' }]
      const exists = { code: 'CRUD_ERR_EXISTS', pointers: ['/children/1/id'] } as const
      await service.refuse('PATCH', path, { name: 'c', children: taken }, exists)
      const id = chosenId('child')
      const children = [...parent.children, { id, name: 'y' }]
      const { status, body } = await service.patch(path, { name: 'c', children })
      expect(status).toBe(200)
      expect(body.children).toEqual([...parent.children, { id, name: 'y', note: null, grade: 1 }])
      expect(await service.read(path)).toEqual(body)
      const bare = [{ id: missingId('child'), note: 'y' }]
      const incomplete = { code: 'CRUD_ERR_INVALID', pointers: ['/children/0/name'] } as const
      await service.refuse('PATCH', path, { name: 'c', children: bare }, incomplete)
    })
  } else {
    test("another owner's child and a child that does not exist get the same 400", async () => {
      const answers: JsonBody[] = []
      for (const id of [other.children[0].id, missingId('child')]) {
        const children = [
          { id: parent.children[0].id, note: 'new' },
          { id, note: 'new' },
        ]
        answers.push(
          await service.refuse(
            'PATCH',
            path,
            { children },
            { code: 'CRUD_ERR_UNKNOWN_REFERENCE', pointers: ['/children/1/id'] },
          ),
        )
      }
      const [foreign, missing] = answers
      expect({ ...foreign, detail: '', errors: [] }).toEqual({ ...missing, detail: '', errors: [] })
      expect(JSON.stringify(foreign).replaceAll(`${other.children[0].id}`, '#')).toBe(
        JSON.stringify(missing).replaceAll(`${missingId('child')}`, '#'),
      )
    })
  }

  test('the same id twice in one array is 400', async () => {
    const { id } = parent.children[0]
    await service.refuse(
      'PATCH',
      path,
      { children: [{ id, note: 'p' }, { name: '3' }, { id, note: 'q' }] },
      {
        code: 'CRUD_ERR_INVALID',
        pointers: ['/children/2/id'],
      },
    )
  })

  test('what is no id is 400', async () => {
    const { id } = parent.children[0]
    for (const wrong of [...noIds('child', id), null]) {
      await service.refuse(
        'PATCH',
        path,
        { children: [{ id: wrong, note: 'p' }] },
        {
          code: 'CRUD_ERR_INVALID',
          pointers: ['/children/0/id'],
        },
      )
    }
  })

  test('an element that is no object is 400 with the index', async () => {
    for (const element of [null, [], 'x', parent.children[0].id]) {
      await service.refuse(
        'PATCH',
        path,
        { children: [{ name: '3' }, element] },
        {
          code: 'CRUD_ERR_INVALID',
          pointers: ['/children/1'],
        },
      )
    }
  })
})
