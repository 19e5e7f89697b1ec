import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { Policies } from './support/as-caller.ts'
import { useOffices } from './support/use-offices.ts'

/** Of the organisation’s own rows. */
const viewOnly: Policies[string] = {
  View: ({ eb, my }) => eb('orgId', '=', my('org')),
  Add: false,
  Edit: false,
  Delete: false,
}

describeOnBoth('a row in View only', (database) => {
  const { rows, ada } = useOffices(database, { customer: viewOnly, project: viewOnly, tag: viewOnly })

  test('may be needed and known, and let go of: that changes the other record alone', async () => {
    const { customer, project, tag, invoice } = rows
    const before = [await ada.read('/api/customer'), await ada.read('/api/project'), await ada.read('/api/tag')]
    const names = { customerId: customer.ours.id, projectId: project.ours.id, tags: [{ id: tag.ours.id }] }
    expect((await ada.post('/api/invoice', { number: 'x', orgId: 1, ...names })).status).toBe(201)
    const path = `/api/invoice/${invoice.second.id}`
    expect((await ada.patch(path, names)).status).toBe(200)
    expect((await ada.patch(path, { projectId: null })).status).toBe(200)
    const cleared = { number: 'x', orgId: 1, customerId: customer.ours.id, tags: [] }
    expect((await ada.put(path, cleared)).body).toMatchObject({ projectId: null, tags: [] })
    expect([await ada.read('/api/customer'), await ada.read('/api/project'), await ada.read('/api/tag')]).toEqual(
      before,
    )
  })
})
