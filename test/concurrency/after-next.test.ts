import { expect, test } from 'vitest'
import { useApp } from '../support/app.ts'
import { describeOnDatabases } from '../support/describe-on-databases.ts'
import { expectProblem } from '../support/problem.ts'
import { owned } from './models.ts'

describeOnDatabases('what fails after the predefined endpoint is done', (database) => {
  let inHook = false
  const throwing = async (_request: unknown, _reply: unknown, next: () => Promise<unknown>) => {
    await next()
    throw new Error('after next()')
  }
  const service = useApp(database, owned, {
    before(app) {
      app.addHook('onSend', async () => {
        if (inHook) throw new Error('in onSend')
      })
    },
    plugin: {
      handlers: {
        owner: {
          create: { access: { action: 'Add' }, handler: throwing },
          delete: { access: { action: 'Delete', id: 'id' }, handler: throwing },
        },
      },
    },
  })

  test('a handler that throws after `next()`: the write was committed by then and stays, the answer is 500', async () => {
    const answer = await service.post('/api/owner', { name: 'o', items: [{ name: 'i' }] })
    expectProblem(answer, { code: 'CRUD_ERR_INTERNAL' })
    const { rows } = await service.read('/api/owner')
    expect(rows).toMatchObject([{ name: 'o', items: [{ name: 'i' }] }])
    expectProblem(await service.delete(`/api/owner/${rows[0].id}`), { code: 'CRUD_ERR_INTERNAL' })
    expect((await service.read('/api/owner')).count).toBe(0)
  })

  test('a hook that throws when the answer is sent: the same', async () => {
    await service.post('/api/owner', { name: 'o' })
    const [{ id }] = (await service.read('/api/owner')).rows
    inHook = true
    try {
      expect((await service.patch(`/api/owner/${id}`, { name: 'p', card: { name: 'c' } })).status).toBe(500)
    } finally {
      inHook = false
    }
    expect(await service.read(`/api/owner/${id}`)).toMatchObject({ name: 'p', card: { name: 'c' } })
  })
})
