import { beforeEach, expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { useOffices } from './support/use-offices.ts'

const forbidden = { code: 'CRUD_ERR_FORBIDDEN' } as const

describeOnBoth('records that are deleted with their owner', (database) => {
  const { service, rows, ada } = useOffices(database)
  let path: string
  beforeEach(() => {
    path = `/api/invoice/${rows.invoice.ours.id}`
  })

  test('must pass their own Delete policy; if one does not, the answer is a 403 that names nothing', async () => {
    const { detail, errors } = await ada.refuse('DELETE', path, undefined, forbidden)
    expect(`${detail}${JSON.stringify(errors)}`).not.toMatch(/note|seal|\d/)
  })

  test('are not asked about where they have no policy of their own', async () => {
    const { id } = await rows.all.invoice.create({
      number: 'our third',
      orgId: 1,
      customerId: rows.customer.ours.id,
      lines: [{ text: 'a', parts: [{ text: 'a1' }] }],
      notes: [{ text: 'mine', authorId: 1, replies: [{ text: 'r' }] }],
    })
    const before = await service.snapshot(['line', 'part', 'note', 'reply'])
    expect((await ada.delete(`/api/invoice/${id}`)).status).toBe(204)
    const after = await service.snapshot(['line', 'part', 'note', 'reply'])
    for (const table of Object.keys(before)) expect(after[table]).toHaveLength((before[table]?.length ?? 0) - 1)
  })
})

describeOnBoth('records that may be deleted, but not seen,', (database) => {
  const { service, rows, ada } = useOffices(database, {
    note: { View: ({ eb, my }) => eb('authorId', '=', my('id')), Add: true, Edit: false, Delete: true },
    seal: { View: ({ eb, my }) => eb('signerId', '=', my('id')), Add: true, Edit: false, Delete: true },
  })

  test('go with their owner', async () => {
    const { ours, hidden } = rows.invoice
    expect((await ada.delete(`/api/invoice/${ours.id}`)).status).toBe(204)
    const { note, seal, reply } = await service.snapshot(['note', 'seal', 'reply'])
    expect([note?.length, seal?.length, reply?.length]).toEqual([1, 2, 1])
    expect(await rows.all.invoice.find(hidden.id)).toEqual(hidden)
  })
})

describeOnBoth('a row in View, but outside of Delete,', (database) => {
  const { rows, ada } = useOffices(database, {
    note: { View: true, Add: true, Edit: true, Delete: ({ eb, my }) => eb('authorId', '=', my('id')) },
    seal: { View: true, Add: true, Edit: true, Delete: false },
  })
  let path: string
  beforeEach(() => {
    path = `/api/invoice/${rows.invoice.second.id}`
  })

  test('is not removed by a PUT of its owner: 403', async () => {
    const { body: invoice } = await ada.patch(path, {
      notes: [
        { text: 'mine', authorId: 1 },
        { text: 'of Bob', authorId: 2 },
      ],
    })
    const [mine, ofBob] = invoice.notes
    await ada.refuse('PUT', path, { ...invoice, notes: [mine] }, forbidden)
    await ada.refuse('PUT', path, { ...invoice, notes: [] }, forbidden)
    await ada.refuse('PUT', path, { ...invoice, seal: null }, forbidden)
    await ada.refuse('PATCH', path, { seal: null }, forbidden)
    await ada.refuse('DELETE', `${path}/note/${ofBob.id}`, undefined, forbidden)
    await ada.refuse('DELETE', `${path}/seal/${invoice.seal.id}`, undefined, forbidden)
    expect((await ada.put(path, { ...invoice, notes: [ofBob] })).body.notes).toEqual([ofBob])
  })

  test('keeps its owner from being deleted', async () => {
    await ada.refuse('DELETE', path, undefined, forbidden)
  })
})

describeOnBoth('a row with one policy for all actions', (database) => {
  const { service, rows, ada } = useOffices(database, {
    note: ({ eb, my }) => eb('authorId', '=', my('id')),
    reply: ({ eb }) => eb('text', 'not like', 'zebra%'),
  })
  const path = () => `/api/invoice/${rows.invoice.second.id}`
  const addNote = async (...replies: string[]) => {
    const note = { text: 'mine', authorId: 1, replies: replies.map((text) => ({ text })) }
    await rows.all.invoice.owned(rows.invoice.second.id, 'notes').create(note)
    const { body } = await ada.get(path())
    expect(body.notes).toHaveLength(1)
    return body
  }

  test('is removed by a PUT with all that it shows', async () => {
    const invoice = await addNote('a', 'b')
    const { reply } = await service.snapshot(['reply'])
    expect((await ada.put(path(), { ...invoice, notes: [] })).body.notes).toEqual([])
    expect((await service.snapshot(['reply'])).reply).toHaveLength((reply?.length ?? 0) - 2)
  })

  test('is not removed by a PUT with a row below it that is hidden, and so not to be deleted: 403', async () => {
    const invoice = await addNote('a', 'zebra')
    expect(invoice.notes[0].replies).toHaveLength(1)
    await ada.refuse('PUT', path(), { ...invoice, notes: [] }, forbidden)
  })

  test('is not changed so that its policy no longer holds: 403', async () => {
    const invoice = await addNote('a')
    const [note] = invoice.notes
    await ada.refuse('PUT', path(), { ...invoice, notes: [{ ...note, authorId: 2 }] }, forbidden)
  })
})

describeOnBoth('a `knows` reference whose target is deleted', (database) => {
  const { rows, ada } = useOffices(database, {
    board: { View: ({ eb, my }) => eb('orgId', '=', my('org')), Add: true, Edit: false, Delete: false },
    seal: true,
  })

  test('is cleared without permission on the knowing record, seen or not', async () => {
    const { second, ours } = rows.invoice
    const boards = []
    for (const orgId of [1, 2]) {
      const invoices = [{ id: second.id }, { id: ours.id }]
      boards.push(await rows.all.board.create({ name: `${orgId}`, orgId, topId: second.id, invoices }))
    }
    expect((await ada.delete(`/api/invoice/${second.id}`)).status).toBe(204)
    for (const { id } of boards) {
      expect(await rows.all.board.find(id)).toMatchObject({ topId: null, top: null, invoices: [{ id: ours.id }] })
    }
  })
})
