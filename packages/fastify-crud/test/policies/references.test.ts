import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { useOffices } from './support/use-offices.ts'

const unknown = 'CRUD_ERR_UNKNOWN_REFERENCE'

describeOnBoth('a body that names a row outside of View is answered as if the row were not there:', (database) => {
  const { rows, ada } = useOffices(database)

  test('what a record needs', async () => {
    const { customer, invoice } = rows
    const refused = { code: unknown, pointers: ['/customerId'] } as const
    const body = (customerId: number) => ({ number: 'x', orgId: 1, customerId })
    await ada.refuseLikeMissing(customer.hidden.id, (id) => ['POST', '/api/invoice', body(id)], refused)
    const path = `/api/invoice/${invoice.second.id}`
    await ada.refuseLikeMissing(customer.hidden.id, (id) => ['PUT', path, body(id)], refused)
    await ada.refuseLikeMissing(customer.hidden.id, (id) => ['PATCH', path, { customerId: id }], refused)
  })

  test('what a record knows', async () => {
    const { project, tag, invoice, customer } = rows
    const path = `/api/invoice/${invoice.second.id}`
    const body = { number: 'x', orgId: 1, customerId: customer.ours.id }
    const one = { code: unknown, pointers: ['/projectId'] } as const
    await ada.refuseLikeMissing(project.hidden.id, (id) => ['POST', '/api/invoice', { ...body, projectId: id }], one)
    await ada.refuseLikeMissing(project.hidden.id, (id) => ['PATCH', path, { projectId: id }], one)
    const many = { code: unknown, pointers: ['/tags/1/id'] } as const
    const tags = (id: number) => [{ id: tag.ours.id }, { id }]
    await ada.refuseLikeMissing(tag.hidden.id, (id) => ['POST', '/api/invoice', { ...body, tags: tags(id) }], many)
    await ada.refuseLikeMissing(tag.hidden.id, (id) => ['PUT', path, { ...body, tags: tags(id) }], many)
    await ada.refuseLikeMissing(tag.hidden.id, (id) => ['PATCH', path, { tags: tags(id) }], many)
  })

  test('a link that is there already, but is not shown', async () => {
    const { tag, invoice } = rows
    const refused = { code: unknown, pointers: ['/tags/0/id'] } as const
    const path = `/api/invoice/${invoice.ours.id}`
    await ada.refuseLikeMissing(tag.hidden.id, (id) => ['PATCH', path, { tags: [{ id }] }], refused)
    await ada.refuseLikeMissing(tag.hidden.id, (id) => ['PUT', path, { ...invoice.shown, tags: [{ id }] }], refused)
  })

  test('what a record needs among many', async () => {
    const { customer } = rows
    const refused = { code: unknown, pointers: ['/customers/1/id'] } as const
    const body = (id: number) => ({ name: 'b', orgId: 1, customers: [{ id: customer.ours.id }, { id }] })
    await ada.refuseLikeMissing(customer.hidden.id, (id) => ['POST', '/api/bundle', body(id)], refused)
  })

  test('a record with an owner that is outside of View', async () => {
    const [line] = rows.invoice.hidden.lines
    const visible = rows.invoice.ours.lines[0]?.id
    const lineRefused = { code: unknown, pointers: ['/lineId'] } as const
    const claim = { text: 'c', orgId: 1 }
    await ada.refuseLikeMissing(line?.id ?? 0, (id) => ['POST', '/api/claim', { ...claim, lineId: id }], lineRefused)
    const partRefused = { code: unknown, pointers: ['/partId'] } as const
    const withPart = (partId: number) => ({ ...claim, lineId: visible, partId })
    await ada.refuseLikeMissing(line?.parts[0]?.id ?? 0, (id) => ['POST', '/api/claim', withPart(id)], partRefused)
  })

  test('an element of an owned array', async () => {
    const { ours } = rows.invoice
    const path = `/api/invoice/${ours.id}`
    const refused = { code: unknown, pointers: ['/notes/0/id'] } as const
    const note = (id: number) => ({ notes: [{ id, text: 'x', authorId: 1 }] })
    const hidden = ours.notes[1]?.id ?? 0
    await ada.refuseLikeMissing(hidden, (id) => ['PATCH', path, note(id)], refused)
    await ada.refuseLikeMissing(hidden, (id) => ['PUT', path, { ...rows.invoice.shown, ...note(id) }], refused)
    const ofHiddenOwner = rows.invoice.hidden.notes[0]?.id ?? 0
    await ada.refuseLikeMissing(ofHiddenOwner, (id) => ['PATCH', path, note(id)], refused)
  })

  test('all of them at once, each with its place', async () => {
    const { customer, project, tag } = rows
    await ada.refuse(
      'POST',
      '/api/invoice',
      {
        number: 'x',
        orgId: 1,
        customerId: customer.hidden.id,
        projectId: project.hidden.id,
        tags: [{ id: tag.hidden.id }, { id: tag.ours.id }],
      },
      { code: unknown, pointers: ['/customerId', '/projectId', '/tags/0/id'] },
    )
  })

  test('a row in View may be named', async () => {
    const { customer, project, tag } = rows
    const { status, body } = await ada.post('/api/invoice', {
      number: 'x',
      orgId: 1,
      customerId: customer.ours.id,
      projectId: project.ours.id,
      tags: [{ id: tag.ours.id }],
    })
    expect(status).toBe(201)
    expect(body).toMatchObject({ customer: customer.ours, project: project.ours, tags: [tag.ours] })
  })
})
