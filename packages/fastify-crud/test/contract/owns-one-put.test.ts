import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnDrivers } from '../../../../test/support/describe-on-databases.ts'
import { anyId, clientGivesIds, codeOfForeignId, missingId, noIds } from '../../../../test/support/test-ids.ts'
import { ownsOne } from './models/owns-one.ts'

describeOnDrivers('PUT with owns.one', (database) => {
  const service = useApp(database, ownsOne)

  test('`child: {…}` sets all child fields, id kept', async () => {
    const parent = await service.add('/api/parent', { name: 'a', child: { nick: 'x', age: 1 } })
    const answer = await service.put(`/api/parent/${parent.id}`, { name: 'a', child: { age: 2 } })
    expect(answer.status).toBe(200)
    expect(answer.body.child).toEqual({ id: parent.child.id, nick: null, age: 2 })
    expect(await service.read(`/api/parent/${parent.id}`)).toEqual(answer.body)
  })

  test('the child may carry its own id', async () => {
    const parent = await service.add('/api/parent', { name: 'a', child: { nick: 'x', age: 1 } })
    const { body } = await service.put(`/api/parent/${parent.id}`, {
      name: 'a',
      child: { id: parent.child.id, nick: 'y' },
    })
    expect(body.child).toEqual({ id: parent.child.id, nick: 'y', age: null })
  })

  test("in `PUT child`, an `id` other than the present child's is 400", async () => {
    const parent = await service.add('/api/parent', { name: 'a', child: { nick: 'x' } })
    const other = await service.add('/api/parent', { name: 'b', child: { nick: 'y' } })
    const childless = await service.add('/api/parent', { name: 'c' })
    const expected = (owner: unknown) => (owner === parent.id ? 'CRUD_ERR_UNKNOWN_REFERENCE' : codeOfForeignId)
    for (const owner of [parent.id, childless.id]) {
      // Where clients give ids, a child that is new may have one that no record has.
      for (const id of [other.child.id, ...(clientGivesIds && owner === childless.id ? [] : [missingId('child')])]) {
        await service.refuse(
          'PUT',
          `/api/parent/${owner}`,
          { name: 'd', child: { id } },
          {
            code: expected(owner),
            pointers: ['/child/id'],
          },
        )
      }
    }
    for (const id of [...noIds('child', parent.child.id), null]) {
      await service.refuse(
        'PUT',
        `/api/parent/${parent.id}`,
        { name: 'd', child: { id } },
        {
          code: 'CRUD_ERR_INVALID',
          pointers: ['/child/id'],
        },
      )
    }
  })

  test('created if there is none', async () => {
    const parent = await service.add('/api/parent', { name: 'a' })
    const { body } = await service.put(`/api/parent/${parent.id}`, { name: 'a', child: { nick: 'x' } })
    expect(body).toEqual({ ...parent, child: { id: anyId, nick: 'x', age: null } })
  })

  test('`child: {}` sets the fields to null', async () => {
    const parent = await service.add('/api/parent', { name: 'a', child: { nick: 'x', age: 1 } })
    const { body } = await service.put(`/api/parent/${parent.id}`, { name: 'a', child: {} })
    expect(body.child).toEqual({ id: parent.child.id, nick: null, age: null })
  })

  test('`child: {}` and no child yet: created with nulls', async () => {
    const parent = await service.add('/api/parent', { name: 'a' })
    const { body } = await service.put(`/api/parent/${parent.id}`, { name: 'a', child: {} })
    expect(body.child).toEqual({ id: anyId, nick: null, age: null })
  })

  test('400 for a required one, with the pointer; the old child is still there', async () => {
    const parent = await service.add('/api/parent', { name: 'a', badge: { label: 'l', color: 'red' } })
    const childless = await service.add('/api/parent', { name: 'a' })
    for (const { id } of [parent, childless]) {
      await service.refuse(
        'PUT',
        `/api/parent/${id}`,
        { name: 'b', badge: {} },
        {
          code: 'CRUD_ERR_INVALID',
          pointers: ['/badge/label'],
        },
      )
      await service.refuse(
        'PUT',
        `/api/parent/${id}`,
        { name: 'b', badge: { label: '', color: 5 } },
        {
          code: 'CRUD_ERR_INVALID',
          pointers: ['/badge/label', '/badge/color'],
        },
      )
    }
  })

  test('`child` left out or null removes it', async () => {
    for (const rest of [{}, { child: null }]) {
      const { id } = await service.add('/api/parent', { name: 'a', child: { nick: 'x' } })
      const { status, body } = await service.put(`/api/parent/${id}`, { name: 'b', ...rest })
      expect(status).toBe(200)
      expect(body).toEqual({ id, name: 'b', note: null, child: null, badge: null })
      expect((await service.snapshot()).child).toEqual([])
    }
  })

  test('a child that is no object is 400', async () => {
    const parent = await service.add('/api/parent', { name: 'a', child: { nick: 'x' } })
    for (const child of [[], [{ nick: 'y' }], 'x', 1]) {
      await service.refuse(
        'PUT',
        `/api/parent/${parent.id}`,
        { name: 'a', child },
        { code: 'CRUD_ERR_INVALID', pointers: ['/child'] },
      )
    }
  })
})
