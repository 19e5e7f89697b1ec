import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { anyId, chosenId, clientGivesIds, missingId, noIds } from '../../../../test/support/test-ids.ts'
import { ownsMany } from './models/owns-many.ts'

describeOnBoth('POST with owns.many', (database) => {
  const service = useApp(database, ownsMany)

  test('an array of objects without ids', async () => {
    const parent = await service.add('/api/parent', { name: 'a', children: [{ name: '1' }, { name: '2', grade: 2 }] })
    expect(parent).toEqual({
      id: parent.id,
      name: 'a',
      note: null,
      children: [
        { id: anyId, name: '1', note: null, grade: 1 },
        { id: anyId, name: '2', note: null, grade: 2 },
      ],
    })
    expect(await service.read(`/api/parent/${parent.id}`)).toEqual(parent)
  })

  test('may be empty or left out', async () => {
    for (const rest of [{}, { children: [] }]) {
      expect((await service.add('/api/parent', { name: 'a', ...rest })).children).toEqual([])
    }
  })

  test('`children: null` is 400', async () => {
    await service.refuse(
      'POST',
      '/api/parent',
      { name: 'a', children: null },
      { code: 'CRUD_ERR_INVALID', pointers: ['/children'] },
    )
  })

  if (clientGivesIds) {
    test('`id` inside `children` is that of the child, and 409 if it exists', async () => {
      const id = chosenId('child')
      const { children } = await service.add('/api/parent', { name: 'a', children: [{ id, name: '1' }] })
      expect(children).toMatchObject([{ id, name: '1' }])
      const again = { name: 'b', children: [{ name: '1' }, { id, name: '2' }] }
      const exists = { code: 'CRUD_ERR_EXISTS', pointers: ['/children/1/id'] } as const
      await service.refuse('POST', '/api/parent', again, exists)
    })
  }

  test('what no new child can have as its `id` is 400', async () => {
    const { children } = await service.add('/api/parent', { name: 'a', children: [{ name: '1' }] })
    const ids = clientGivesIds ? noIds('child', children[0].id) : [children[0].id, missingId('child'), '1', 1.5, true]
    for (const id of [...ids, null]) {
      await service.refuse(
        'POST',
        '/api/parent',
        { name: 'b', children: [{ name: '1' }, { id, name: '2' }] },
        {
          code: 'CRUD_ERR_INVALID',
          pointers: ['/children/1/id'],
        },
      )
    }
  })

  test('what is no array is 400', async () => {
    for (const children of ['x', 1, true, {}, { 0: { name: '1' } }]) {
      await service.refuse(
        'POST',
        '/api/parent',
        { name: 'a', children },
        { code: 'CRUD_ERR_INVALID', pointers: ['/children'] },
      )
    }
  })

  test('an element that is no object is 400 with the index', async () => {
    for (const element of [null, [], [{ name: '2' }], 'x', 1, true]) {
      await service.refuse(
        'POST',
        '/api/parent',
        { name: 'a', children: [{ name: '1' }, element] },
        {
          code: 'CRUD_ERR_INVALID',
          pointers: ['/children/1'],
        },
      )
    }
  })

  test('all of it or none of it, also when the last of five children is bad', async () => {
    const children = [1, 2, 3, 4].map((n) => ({ name: `${n}` }))
    await service.refuse(
      'POST',
      '/api/parent',
      { name: 'a', children: [...children, { name: '' }] },
      {
        code: 'CRUD_ERR_INVALID',
        pointers: ['/children/4/name'],
      },
    )
  })

  test('5,000 children in a body', async () => {
    const children = Array.from({ length: 5000 }, (_, n) => ({ name: `c${n}` }))
    const parent = await service.add('/api/parent', { name: 'a', children })
    expect(parent.children.map(({ name }: { name: string }) => name)).toEqual(children.map(({ name }) => name))
  })
})
