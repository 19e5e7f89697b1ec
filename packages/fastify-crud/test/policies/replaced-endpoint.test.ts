import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { fillOffices, type Offices, officePolicies, offices } from './models/offices.ts'
import { ada, asCaller, caller } from './support/as-caller.ts'

describeOnBoth('`next()` of a replaced endpoint', (database) => {
  const answered: unknown[] = []
  const service = useApp(database, offices, {
    plugin: {
      caller,
      policies: officePolicies,
      handlers: {
        invoice: {
          list: {
            access: { action: 'View' },
            async handler(_request, _reply, next) {
              answered.push(await next())
            },
          },
          findOne: {
            access: { action: 'View', id: 'id' },
            async handler(_request, _reply, next) {
              answered.push(await next())
            },
          },
          patch: {
            access: { action: 'View', id: 'id' },
            async handler(_request, _reply, next) {
              answered.push(await next())
            },
          },
        },
      },
    },
  })
  const client = asCaller(service, ada)
  let rows: Offices

  beforeEach(async () => {
    rows = await fillOffices(service.db)
    answered.length = 0
  })

  test('has what is in View only, and refuses what the predefined endpoint refuses', async () => {
    const { shown, hidden } = rows.invoice
    const path = `/api/invoice/${shown.id}`
    expect((await client.read('/api/invoice')).count).toBe(2)
    expect(await client.read(path)).toEqual(shown)
    expect((await client.patch(path, { number: 'new' })).body).toEqual({ ...shown, number: 'new' })
    expect(answered).toEqual([{ rows: [shown, expect.anything()], count: 2 }, shown, { ...shown, number: 'new' }])
    await client.refuse('GET', `/api/invoice/${hidden.id}`, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
    await client.refuse('PATCH', `/api/invoice/${hidden.id}`, {}, { code: 'CRUD_ERR_NOT_FOUND' })
    await client.refuse('PATCH', path, { orgId: 2 }, { code: 'CRUD_ERR_FORBIDDEN' })
    expect(answered).toHaveLength(3)
  })
})
