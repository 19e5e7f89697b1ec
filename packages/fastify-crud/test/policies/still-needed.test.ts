import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { useOffices } from './support/use-offices.ts'

const needed = 'CRUD_ERR_STILL_NEEDED'

describeOnBoth('a delete that is blocked by rows outside of View', (database) => {
  const { rows, ada } = useOffices(database)
  const second = () => rows.invoice.second.id

  const remind = (orgId: number) =>
    rows.all.reminder.create({ text: orgId === 1 ? 'ours' : 'zebra', orgId, invoiceId: second() })

  test('counts visible rows only', async () => {
    for (const orgId of [1, 2, 1, 2, 2]) await remind(orgId)
    const refused = { code: needed, detail: /needed by 2 reminder records$/ } as const
    await ada.refuse('DELETE', `/api/invoice/${second()}`, undefined, refused)
  })

  test('says only that the row is still needed if it may show none of them', async () => {
    for (const orgId of [2, 2]) await remind(orgId)
    const refused = { code: needed, detail: /is still needed$/ } as const
    const { detail, errors } = await ada.refuse('DELETE', `/api/invoice/${second()}`, undefined, refused)
    expect(detail.replace(`invoice ${second()}`, '')).not.toMatch(/\d|reminder/)
    expect(JSON.stringify(errors)).not.toMatch(/reminder|"\//)
  })

  test('names no kind of row of which all are hidden beside those that it shows', async () => {
    const { customer } = rows
    await rows.all.bundle.create({ name: 'zebra', orgId: 2, customers: [{ id: customer.ours.id }] })
    const path = `/api/customer/${customer.ours.id}`
    const problem = await ada.refuse('DELETE', path, undefined, { code: needed, detail: /\b2\b.*invoice/ })
    expect(JSON.stringify(problem)).not.toMatch(/bundle/)
  })

  test('is done as soon as nobody needs the row, seen or not', async () => {
    const hidden = await remind(2)
    await rows.all.reminder.delete(hidden.id)
    expect((await ada.delete(`/api/invoice/${second()}`)).status).toBe(204)
  })

  test('is refused without a place in the body where a PUT removes what a hidden row needs', async () => {
    const { ours, shown } = rows.invoice
    const [a, b] = ours.lines
    await rows.all.claim.create({ text: 'zebra', orgId: 2, lineId: a?.id ?? 0 })
    const refused = { code: needed, detail: /still needed$/ } as const
    const problem = await ada.refuse('PUT', `/api/invoice/${ours.id}`, { ...shown, lines: [b] }, refused)
    expect(JSON.stringify(problem)).not.toMatch(/claim|"\/lines/)
    await ada.refuse('DELETE', `/api/invoice/${ours.id}/line/${a?.id}`, undefined, refused)
  })

  test('is refused with its place where a visible row needs it, too', async () => {
    const { ours, shown } = rows.invoice
    const [a, b] = ours.lines
    await rows.all.claim.create({ text: 'zebra', orgId: 2, lineId: a?.id ?? 0 })
    await rows.all.claim.create({ text: 'ours', orgId: 1, lineId: a?.id ?? 0 })
    const refused = { code: needed, detail: /\b1\b.*claim/, pointers: ['/lines'] } as const
    await ada.refuse('PUT', `/api/invoice/${ours.id}`, { ...shown, lines: [b] }, refused)
  })
})
