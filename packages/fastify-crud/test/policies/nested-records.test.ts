import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { useOffices } from './support/use-offices.ts'

describeOnBoth('a row outside of View, in records that others show,', (database) => {
  const { rows, ada } = useOffices(database)

  test('is absent from nested arrays, and null where there may be one', async () => {
    const { shown } = rows.invoice
    expect(await ada.read(`/api/invoice/${shown.id}`)).toEqual(shown)
    expect((await ada.read('/api/invoice')).rows[0]).toEqual(shown)
  })

  test('hides all that it owns', async () => {
    const { ours } = rows.invoice
    const { rows: notes, count } = await ada.read(`/api/invoice/${ours.id}/note`)
    expect([notes, count]).toEqual([ours.notes.slice(0, 1), 1])
  })

  test('does not hide what its owner has besides', async () => {
    const { second } = rows.invoice
    expect(await ada.read(`/api/invoice/${second.id}/seal`)).toEqual({ rows: [second.seal], count: 1 })
    expect(await ada.read(`/api/invoice/${second.id}/seal/${second.seal?.id}`)).toEqual(second.seal)
  })

  test('is null as a summary, beside its foreign key', async () => {
    const { shown, hidden } = rows.invoice
    const { id } = await rows.all.reminder.create({ text: 'r', orgId: 1, invoiceId: hidden.id })
    const expected = { id, text: 'r', orgId: 1, invoiceId: hidden.id, invoice: null }
    expect(await ada.read(`/api/reminder/${id}`)).toEqual(expected)
    expect(await ada.read('/api/reminder')).toEqual({ rows: [expected], count: 1 })
    expect(await ada.read(`/api/invoice/${shown.id}`)).toMatchObject({
      projectId: rows.project.hidden.id,
      project: null,
    })
  })

  test('is null as a summary if one of its owners is hidden', async () => {
    const line = rows.invoice.hidden.lines[0]
    const part = line?.parts[0]
    const { id } = await rows.all.claim.create({ text: 'c', orgId: 1, lineId: line?.id ?? 0, partId: part?.id ?? 0 })
    expect(await ada.read(`/api/claim/${id}`)).toEqual({
      id,
      text: 'c',
      orgId: 1,
      lineId: line?.id,
      line: null,
      partId: part?.id,
      part: null,
    })
  })

  test('is shown as a summary if all of its owners are in View', async () => {
    const line = rows.invoice.ours.lines[0]
    const part = line?.parts[0]
    const { id } = await rows.all.claim.create({ text: 'c', orgId: 1, lineId: line?.id ?? 0, partId: part?.id ?? 0 })
    expect(await ada.read(`/api/claim/${id}`)).toMatchObject({
      line: { id: line?.id, text: line?.text },
      part: { id: part?.id, text: part?.text },
    })
  })

  test('is absent from arrays of what a record needs and knows', async () => {
    const { customer, invoice } = rows
    const bundle = await rows.all.bundle.create({
      name: 'b',
      orgId: 1,
      customers: [{ id: customer.ours.id }, { id: customer.hidden.id }],
    })
    expect((await ada.read(`/api/bundle/${bundle.id}`)).customers).toEqual([customer.ours])
    const board = await rows.all.board.create({
      name: 'b',
      orgId: 1,
      topId: invoice.hidden.id,
      invoices: [{ id: invoice.hidden.id }, { id: invoice.ours.id }],
    })
    expect(await ada.read(`/api/board/${board.id}`)).toEqual({
      id: board.id,
      name: 'b',
      orgId: 1,
      topId: invoice.hidden.id,
      top: null,
      invoices: [{ id: invoice.ours.id, number: 'our first', orgId: 1 }],
    })
  })
})
