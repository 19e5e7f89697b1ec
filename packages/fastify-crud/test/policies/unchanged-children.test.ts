import { beforeEach, expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { updatesIn } from '../../../../test/support/statement-log.ts'
import { useOffices } from './support/use-offices.ts'

const forbidden = { code: 'CRUD_ERR_FORBIDDEN' } as const

describeOnBoth('children in View, but outside of Edit,', (database) => {
  const { service, rows, ada } = useOffices(database, {
    note: {
      View: true,
      Add: true,
      Edit: ({ eb, my }) => eb('authorId', '=', my('id')),
      Delete: ({ eb, my }) => eb('authorId', '=', my('id')),
    },
  })
  let path: string
  let shown: JsonBody
  beforeEach(async () => {
    path = `/api/invoice/${rows.invoice.second.id}`
    const notes = [
      { text: 'mine', authorId: 1 },
      { text: 'of Bob', authorId: 2 },
    ]
    shown = (await ada.patch(path, { notes })).body
  })

  test('may be sent back as they were shown, while others change', async () => {
    const [mine, ofBob] = shown.notes
    const statements = await service.statements(async () => {
      expect((await ada.put(path, shown)).body).toEqual(shown)
    })
    expect(updatesIn(statements)).toEqual([])
    const changed = { ...shown, number: 'new', notes: [{ ...mine, text: 'changed' }, ofBob] }
    expect((await ada.put(path, changed)).body).toEqual(changed)
    expect((await ada.patch(path, { notes: [{ id: ofBob.id }] })).body).toEqual(changed)
  })

  test('may not be changed: 403, at any depth', async () => {
    const [mine, ofBob] = shown.notes
    await ada.refuse('PUT', path, { ...shown, notes: [mine, { ...ofBob, text: 'x' }] }, forbidden)
    await ada.refuse('PATCH', path, { notes: [{ id: ofBob.id, text: 'x' }] }, forbidden)
    await ada.refuse('PATCH', path, { notes: [{ id: ofBob.id, replies: [{ text: 'x' }] }] }, forbidden)
    await ada.refuse('POST', `${path}/note/${ofBob.id}/reply`, { text: 'x' }, forbidden)
    expect((await ada.post(`${path}/note/${mine.id}/reply`, { text: 'x' })).status).toBe(201)
  })
})

describeOnBoth('a row in Edit, but outside of View,', (database) => {
  const { rows, ada } = useOffices(database, {
    invoice: { View: ({ eb, my }) => eb('orgId', '=', my('org')), Add: true, Edit: true, Delete: true },
    seal: { View: false, Add: true, Edit: true, Delete: true },
  })

  test('is not there: 404, with all that it owns', async () => {
    const notFound = { code: 'CRUD_ERR_NOT_FOUND' } as const
    const path = `/api/invoice/${rows.invoice.hidden.id}`
    await ada.refuse('PATCH', path, { number: 'x' }, notFound)
    await ada.refuse('DELETE', path, undefined, notFound)
    await ada.refuse('POST', `${path}/line`, { text: 'x' }, notFound)
  })

  test('that nobody sees may be added, once', async () => {
    const path = `/api/invoice/${rows.invoice.second.id}`
    await rows.all.invoice.patch(rows.invoice.second.id, { seal: null })
    const seal = { text: 'zebra', signerId: 1 }
    const answer = await ada.patch(path, { seal })
    expect([answer.status, answer.body.seal]).toEqual([200, null])
    await ada.refuse('PATCH', path, { seal }, { code: 'CRUD_ERR_EXISTS' })
    const created = { number: 'x', orgId: 1, customerId: rows.customer.ours.id, seal }
    expect(await ada.post('/api/invoice', created)).toMatchObject({ status: 201, body: { seal: null } })
  })
})

describeOnBoth('a hidden record below a visible child', (database) => {
  const { rows, ada } = useOffices(database, {
    note: true,
    reply: {
      View: ({ eb }) => eb('text', 'not like', 'zebra%'),
      Add: true,
      Edit: true,
      Delete: ({ eb }) => eb('text', 'not like', '%kept%'),
    },
    seal: true,
  })

  test('is not removed by a PUT that keeps the child', async () => {
    const { id, notes } = (await rows.all.invoice.patch(rows.invoice.second.id, {
      notes: [{ text: 'n', authorId: 1, replies: [{ text: 'zebra' }, { text: 'seen' }] }],
    })) as JsonBody
    const path = `/api/invoice/${id}`
    const shown = await ada.read(path)
    expect(shown.notes[0].replies).toMatchObject([{ text: 'seen' }])
    expect((await ada.put(path, { ...shown, notes: [{ ...shown.notes[0], replies: [] }] })).status).toBe(200)
    expect((await rows.all.invoice.find(id)).notes[0]?.replies).toEqual([notes[0].replies[0]])
  })

  test('goes with the child, if it may be deleted; else the answer is a 403 that names nothing', async () => {
    const { id } = rows.invoice.second
    const path = `/api/invoice/${id}`
    await rows.all.invoice.patch(id, { notes: [{ text: 'n', authorId: 1, replies: [{ text: 'zebra, kept' }] }] })
    const shown = await ada.read(path)
    for (const [method, at, body] of [
      ['PUT', path, { ...shown, notes: [] }],
      ['DELETE', `${path}/note/${shown.notes[0].id}`, undefined],
      ['DELETE', path, undefined],
    ] as const) {
      const { detail, errors } = await ada.refuse(method, at, body, forbidden)
      expect(`${detail}${JSON.stringify(errors)}`).not.toMatch(/repl|\d/)
    }
    await rows.all.invoice.patch(id, { notes: [{ id: shown.notes[0].id, text: 'n', replies: [] }] })
    await rows.all.invoice
      .owned(id, 'notes')
      .replace(shown.notes[0].id, { text: 'n', authorId: 1, replies: [{ text: 'zebra' }] })
    expect((await ada.put(path, { ...shown, notes: [] })).status).toBe(200)
  })
})
