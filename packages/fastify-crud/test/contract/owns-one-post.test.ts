import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { anyId, chosenId, clientGivesIds, missingId, noIds } from '../../../../test/support/test-ids.ts'
import { ownsOne } from './models/owns-one.ts'

describeOnBoth('POST with owns.one', (database) => {
  const service = useApp(database, ownsOne)

  test('`child` optional', async () => {
    const parent = await service.add('/api/parent', { name: 'a' })
    expect(parent).toEqual({ id: parent.id, name: 'a', note: null, child: null, badge: null })
    expect(await service.read(`/api/parent/${parent.id}`)).toEqual(parent)
  })

  test('creates the child with its owner', async () => {
    const parent = await service.add('/api/parent', { name: 'a', child: { nick: 'x' }, badge: { label: 'l' } })
    expect(parent).toEqual({
      id: parent.id,
      name: 'a',
      note: null,
      child: { id: anyId, nick: 'x', age: null },
      badge: { id: anyId, label: 'l', color: null },
    })
    expect(await service.read(`/api/parent/${parent.id}`)).toEqual(parent)
  })

  test('`child: {}` creates a child without values', async () => {
    const { child } = await service.add('/api/parent', { name: 'a', child: {} })
    expect(child).toEqual({ id: anyId, nick: null, age: null })
  })

  if (clientGivesIds) {
    test('`id` inside the child is its own, and 409 if it exists', async () => {
      const child = { id: chosenId('child') }
      expect(await service.add('/api/parent', { name: 'a', child })).toMatchObject({ child })
      const exists = { code: 'CRUD_ERR_EXISTS', pointers: ['/child/id'] } as const
      await service.refuse('POST', '/api/parent', { name: 'b', child }, exists)
    })
  }

  test('what the child cannot have as its `id` is 400', async () => {
    const { child } = await service.add('/api/parent', { name: 'a', child: {} })
    const ids = clientGivesIds ? noIds('child', child.id) : [child.id, missingId('child'), '1']
    for (const id of [...ids, null]) {
      await service.refuse(
        'POST',
        '/api/parent',
        { name: 'b', child: { id } },
        { code: 'CRUD_ERR_INVALID', pointers: ['/child/id'] },
      )
    }
  })

  test('a child that is no object is 400', async () => {
    for (const child of [[], [{}], 'x', 1, true]) {
      await service.refuse(
        'POST',
        '/api/parent',
        { name: 'a', child },
        { code: 'CRUD_ERR_INVALID', pointers: ['/child'] },
      )
    }
  })

  test('a child without a required field is 400 with the pointer; nothing is stored', async () => {
    await service.refuse(
      'POST',
      '/api/parent',
      { name: 'a', badge: {} },
      { code: 'CRUD_ERR_INVALID', pointers: ['/badge/label'] },
    )
  })
})
