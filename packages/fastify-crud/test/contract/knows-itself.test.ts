import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { updatesIn } from '../../../../test/support/statement-log.ts'
import { knowsItself } from './models/knows.ts'

describeOnBoth('a record that knows itself', (database) => {
  const service = useApp(database, knowsItself)

  test('can be read: without recursion', async () => {
    const { id } = await service.add('/api/person', { name: 'p' })
    const { body } = await service.patch(`/api/person/${id}`, { friendId: id, fellows: [{ id }] })
    const plain = { id, name: 'p' }
    expect(body).toEqual({ ...plain, friendId: id, friend: plain, fellows: [plain] })
    expect(await service.read(`/api/person/${id}`)).toEqual(body)
    expect((await service.read('/api/person')).rows).toEqual([body])
    const statements = await service.statements(async () => {
      expect((await service.put(`/api/person/${id}`, body)).body).toEqual(body)
    })
    expect(updatesIn(statements)).toEqual([])
  })

  test('and deleted', async () => {
    const { id } = await service.add('/api/person', { name: 'p' })
    await service.patch(`/api/person/${id}`, { friendId: id, fellows: [{ id }] })
    expect((await service.delete(`/api/person/${id}`)).status).toBe(204)
    expect(await service.snapshot()).toEqual({ person: [], person_fellows: [] })
  })
})

describeOnBoth('two records that know each other', (database) => {
  const service = useApp(database, knowsItself)

  test('can be read, put and deleted', async () => {
    const a = await service.add('/api/person', { name: 'a' })
    const b = await service.add('/api/person', { name: 'b', friendId: a.id, fellows: [{ id: a.id }] })
    const { body } = await service.patch(`/api/person/${a.id}`, { friendId: b.id, fellows: [{ id: b.id }] })
    const plain = { id: b.id, name: 'b' }
    expect(body).toEqual({ id: a.id, name: 'a', friendId: b.id, friend: plain, fellows: [plain] })
    expect((await service.put(`/api/person/${a.id}`, body)).body).toEqual(body)
    expect(await service.read(`/api/person/${b.id}`)).toEqual(b)
    expect((await service.delete(`/api/person/${a.id}`)).status).toBe(204)
    expect(await service.read(`/api/person/${b.id}`)).toEqual({ ...plain, friendId: null, friend: null, fellows: [] })
  })

  test('knowing goes one way: the known one does not show who knows it', async () => {
    const a = await service.add('/api/person', { name: 'a' })
    await service.add('/api/person', { name: 'b', friendId: a.id, fellows: [{ id: a.id }] })
    expect(await service.read(`/api/person/${a.id}`)).toEqual(a)
  })
})
