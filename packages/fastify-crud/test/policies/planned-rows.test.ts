import { test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { useOffices } from './support/use-offices.ts'

const forbidden = { code: 'CRUD_ERR_FORBIDDEN' } as const

describeOnBoth('a value or an id that is taken', (database) => {
  const { rows, ada } = useOffices(database)

  test('does not show where the planned row is not allowed: 403', async () => {
    for (const code of ['A', 'Z']) {
      await ada.refuse('POST', '/api/customer', { name: 'x', orgId: 2, code }, forbidden)
      const other = await rows.all.customer.create({ name: 'our other', orgId: 1 })
      await ada.refuse('PATCH', `/api/customer/${other.id}`, { orgId: 2, code }, forbidden)
      await ada.refuse('PUT', `/api/customer/${other.id}`, { name: 'x', orgId: 2, code }, forbidden)
    }
    for (const { id } of [rows.customer.ours, rows.customer.hidden]) {
      await ada.refuse('POST', `/api/customer/${id}`, { name: 'x', orgId: 2 }, forbidden)
    }
  })

  test('does not show where a planned child is not allowed: 403', async () => {
    const { second } = rows.invoice
    const seal = { text: 'x', signerId: 2 }
    await ada.refuse('POST', `/api/invoice/${second.id}/seal`, seal, forbidden)
    await ada.refuse('POST', `/api/invoice/${rows.invoice.ours.id}/seal`, seal, forbidden)
  })
})
