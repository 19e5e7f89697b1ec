import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnDrivers } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { anyId, chosenId, clientGivesIds, missingId, noIds } from '../../../../test/support/test-ids.ts'
import { ownsMany } from './models/owns-many.ts'

describeOnDrivers('PUT with owns.many', (database) => {
  const service = useApp(database, ownsMany)
  let parent: JsonBody
  let other: JsonBody
  let path: string

  beforeEach(async () => {
    const children = [1, 2, 3].map((n) => ({ name: `${n}`, note: `n${n}`, grade: n + 2 }))
    parent = await service.add('/api/parent', { name: 'a', note: 'x', children })
    other = await service.add('/api/parent', { name: 'b', children })
    path = `/api/parent/${parent.id}`
  })

  test('elements with `id` are updated in full', async () => {
    const [first, second, third] = parent.children
    const children = [{ id: first.id, name: 'new' }, second, third]
    const { status, body } = await service.put(path, { name: 'a', note: 'x', children })
    expect(status).toBe(200)
    expect(body).toEqual({ ...parent, children: [{ id: first.id, name: 'new', note: null, grade: 1 }, second, third] })
    expect(await service.read(path)).toEqual(body)
  })

  test('elements without are created, children not listed are removed', async () => {
    const [, second] = parent.children
    const { body } = await service.put(path, { name: 'a', children: [{ name: '4' }, second, { name: '5', grade: 9 }] })
    expect(body).toEqual({
      id: parent.id,
      name: 'a',
      note: null,
      children: [
        second,
        { id: anyId, name: '4', note: null, grade: 1 },
        { id: anyId, name: '5', note: null, grade: 9 },
      ],
    })
    expect(await service.read(path)).toEqual(body)
    expect(await service.read(`/api/parent/${other.id}`)).toEqual(other)
    expect((await service.snapshot()).child).toHaveLength(6)
  })

  test('`[]` or leaving it out removes all', async () => {
    expect((await service.put(path, { name: 'a', children: [] })).body.children).toEqual([])
    expect((await service.put(`/api/parent/${other.id}`, { name: 'b' })).body.children).toEqual([])
    expect((await service.snapshot()).child).toEqual([])
  })

  test('`children: null` is 400', async () => {
    await service.refuse(
      'PUT',
      path,
      { name: 'a', children: null },
      { code: 'CRUD_ERR_INVALID', pointers: ['/children'] },
    )
  })

  test('an element without a required field is 400, with or without an id', async () => {
    const children = [{ id: parent.children[0].id, note: 'y' }, { grade: 3 }, parent.children[1]]
    await service.refuse(
      'PUT',
      path,
      { name: 'c', children },
      {
        code: 'CRUD_ERR_INVALID',
        pointers: ['/children/0/name', '/children/1/name'],
      },
    )
  })

  if (clientGivesIds) {
    test("an element with another owner's id is 409, one with an unknown id is created", async () => {
      const [first] = parent.children
      const taken = [first, { id: other.children[0].id, name: 'y' }]
      const exists = { code: 'CRUD_ERR_EXISTS', pointers: ['/children/1/id'] } as const
      await service.refuse('PUT', path, { name: 'c', children: taken }, exists)
      const id = chosenId('child')
      const children = [...parent.children, { id, name: 'y' }]
      const { status, body } = await service.put(path, { name: 'c', children })
      expect(status).toBe(200)
      expect(body.children).toEqual([...parent.children, { id, name: 'y', note: null, grade: 1 }])
      expect(await service.read(path)).toEqual(body)
      const bare = [{ id: missingId('child'), note: 'y' }]
      const incomplete = { code: 'CRUD_ERR_INVALID', pointers: ['/children/0/name'] } as const
      await service.refuse('PUT', path, { name: 'c', children: bare }, incomplete)
    })
  } else {
    test("another owner's child and a child that does not exist get the same 400", async () => {
      const answers: JsonBody[] = []
      for (const id of [other.children[0].id, missingId('child')]) {
        const children = [parent.children[0], { id, name: 'y' }]
        answers.push(
          await service.refuse(
            'PUT',
            path,
            { name: 'c', children },
            { code: 'CRUD_ERR_UNKNOWN_REFERENCE', pointers: ['/children/1/id'] },
          ),
        )
      }
      expect(JSON.stringify(answers[0]).replaceAll(`${other.children[0].id}`, '#')).toBe(
        JSON.stringify(answers[1]).replaceAll(`${missingId('child')}`, '#'),
      )
    })
  }

  test('the same id twice in one array is 400', async () => {
    const [first, second] = parent.children
    await service.refuse(
      'PUT',
      path,
      { name: 'c', children: [first, second, first] },
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
        'PUT',
        path,
        { name: 'c', children: [{ id: wrong, name: 'p' }] },
        {
          code: 'CRUD_ERR_INVALID',
          pointers: ['/children/0/id'],
        },
      )
    }
  })

  test('what is no array of objects is 400', async () => {
    for (const children of ['x', 1, {}, true]) {
      await service.refuse('PUT', path, { name: 'a', children }, { code: 'CRUD_ERR_INVALID', pointers: ['/children'] })
    }
    for (const element of [null, [parent.children[0]], 'x', parent.children[0].id]) {
      await service.refuse(
        'PUT',
        path,
        { name: 'a', children: [parent.children[0], element] },
        {
          code: 'CRUD_ERR_INVALID',
          pointers: ['/children/1'],
        },
      )
    }
  })

  test('all of it or none of it, also when the last of five elements is bad', async () => {
    const [first] = parent.children
    const children = [{ ...first, name: 'new' }, { name: '4' }, { name: '5' }, { name: '6' }, { name: 7 }]
    await service.refuse(
      'PUT',
      path,
      { name: 'new', children },
      { code: 'CRUD_ERR_INVALID', pointers: ['/children/4/name'] },
    )
  })

  test('3,000 elements are updated and as many are removed', async () => {
    const names = (start: number) => Array.from({ length: 3000 }, (_, n) => ({ name: `c${start + n}` }))
    const { id, children } = await service.add('/api/parent', { name: 'a', children: [...names(0), ...names(3000)] })
    const kept = children.slice(0, 3000).map((child: JsonBody, n: number) => ({ ...child, note: 'n', grade: n % 7 }))
    const { status, body } = await service.put(`/api/parent/${id}`, { name: 'a', children: kept })
    expect(status).toBe(200)
    expect(body.children).toEqual(kept)
  })
})
