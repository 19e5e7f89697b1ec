import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { anyId, clientGivesIds, codeOfForeignId, missingId } from '../../../../test/support/test-ids.ts'
import { ownsOne } from './models/owns-one.ts'

describeOnBoth('PATCH with owns.one', (database) => {
  const service = useApp(database, ownsOne)

  test('`child: {…}` changes the listed child fields', async () => {
    const parent = await service.add('/api/parent', { name: 'a', child: { nick: 'x', age: 1 }, badge: { label: 'l' } })
    const answer = await service.patch(`/api/parent/${parent.id}`, { child: { age: 2 } })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ ...parent, child: { ...parent.child, age: 2 } })
    expect(await service.read(`/api/parent/${parent.id}`)).toEqual(answer.body)
  })

  test('the child may carry its own id', async () => {
    const parent = await service.add('/api/parent', { name: 'a', child: { nick: 'x' } })
    const { body } = await service.patch(`/api/parent/${parent.id}`, { child: { id: parent.child.id, nick: 'y' } })
    expect(body.child).toEqual({ id: parent.child.id, nick: 'y', age: null })
  })

  test("another child's id, or one that does not exist, is 400", async () => {
    const parent = await service.add('/api/parent', { name: 'a', child: { nick: 'x' } })
    const other = await service.add('/api/parent', { name: 'b', child: { nick: 'y' } })
    const childless = await service.add('/api/parent', { name: 'c' })
    const expected = (owner: unknown) => (owner === parent.id ? 'CRUD_ERR_UNKNOWN_REFERENCE' : codeOfForeignId)
    for (const owner of [parent.id, childless.id]) {
      // Where clients give ids, a child that is new may have one that no record has.
      for (const id of [other.child.id, ...(clientGivesIds && owner === childless.id ? [] : [missingId('child')])]) {
        await service.refuse(
          'PATCH',
          `/api/parent/${owner}`,
          { child: { id, nick: 'z' } },
          {
            code: expected(owner),
            pointers: ['/child/id'],
          },
        )
      }
    }
  })

  test('creating the child if there is none', async () => {
    const parent = await service.add('/api/parent', { name: 'a' })
    const { body } = await service.patch(`/api/parent/${parent.id}`, { child: { age: 3 } })
    expect(body).toEqual({ ...parent, child: { id: anyId, nick: null, age: 3 } })
    expect(await service.read(`/api/parent/${parent.id}`)).toEqual(body)
  })

  test('a child that is created needs its required fields', async () => {
    const parent = await service.add('/api/parent', { name: 'a' })
    await service.refuse(
      'PATCH',
      `/api/parent/${parent.id}`,
      { name: 'b', badge: { color: 'red' } },
      {
        code: 'CRUD_ERR_INVALID',
        pointers: ['/badge/label'],
      },
    )
  })

  test('`child: {}` changes nothing in a child that is there', async () => {
    const parent = await service.add('/api/parent', { name: 'a', child: { nick: 'x' }, badge: { label: 'l' } })
    expect((await service.patch(`/api/parent/${parent.id}`, { child: {}, badge: {} })).body).toEqual(parent)
  })

  test('`child: null` removes it', async () => {
    const parent = await service.add('/api/parent', { name: 'a', child: { nick: 'x' }, badge: { label: 'l' } })
    const { status, body } = await service.patch(`/api/parent/${parent.id}`, { child: null })
    expect(status).toBe(200)
    expect(body).toEqual({ ...parent, child: null })
    expect((await service.snapshot()).child).toEqual([])
  })

  test('`child: null` where there is none changes nothing', async () => {
    const parent = await service.add('/api/parent', { name: 'a' })
    expect((await service.patch(`/api/parent/${parent.id}`, { child: null })).body).toEqual(parent)
  })

  test('a child that is left out is left alone', async () => {
    const parent = await service.add('/api/parent', { name: 'a', child: { nick: 'x' } })
    expect((await service.patch(`/api/parent/${parent.id}`, { name: 'b' })).body).toEqual({ ...parent, name: 'b' })
  })

  test('a child that is no object is 400', async () => {
    const parent = await service.add('/api/parent', { name: 'a', child: { nick: 'x' } })
    for (const child of [[], 'x', 1, false]) {
      await service.refuse(
        'PATCH',
        `/api/parent/${parent.id}`,
        { child },
        { code: 'CRUD_ERR_INVALID', pointers: ['/child'] },
      )
    }
  })
})
