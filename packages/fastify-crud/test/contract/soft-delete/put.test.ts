import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import { codeOfForeignId } from '../../../../../test/support/test-ids.ts'
import { markedIn } from './support/marked.ts'
import { office } from './support/office.ts'

describeOnBoth('a PUT or PATCH that removes children with softDelete', (database) => {
  const service = useApp(database, office)
  let invoice: JsonBody
  const path = () => `/api/invoice/${invoice.id}`

  beforeEach(async () => {
    const customer = await service.add('/api/customer', { name: 'c' })
    const lines = [
      { text: 'a', amount: 1, notes: [{ text: 'n' }, { text: 'o' }] },
      { text: 'b', amount: 2 },
    ]
    invoice = await service.add('/api/invoice', { number: '1', customerId: customer.id, lines, address: { city: 'W' } })
  })

  test('marks those that PUT does not list, and what they own, with one moment', async () => {
    const [first, second] = invoice.lines
    const { body } = await service.put(path(), { ...invoice, lines: [second], address: undefined })
    expect(body).toMatchObject({ lines: [second], address: null, total: 2, lineCount: 1 })
    const found = await Promise.all(['line', 'note', 'address'].map((table) => markedIn(service.db, table)))
    expect(found.map(({ marked }) => marked.length)).toEqual([1, 2, 1])
    expect(found[0]).toMatchObject({ left: [`${second.id}`], marked: [`${first.id}`] })
    expect(new Set(found.flatMap(({ moments }) => moments))).toHaveLength(1)
  })

  test('marks a child that is null', async () => {
    expect((await service.patch(path(), { address: null })).body.address).toBeNull()
    expect(await markedIn(service.db, 'address')).toMatchObject({ left: [], marked: [`${invoice.address.id}`] })
  })

  test('an id of a removed child is none of the owner', async () => {
    const [first] = invoice.lines
    await service.put(path(), { ...invoice, lines: [] })
    const lines = [{ id: first.id, text: 'z', amount: 9 }]
    await service.refuse('PATCH', path(), { lines }, { code: codeOfForeignId })
  })

  test('with the body that GET returned, nothing is written', async () => {
    const statements = await service.statements(() => service.put(path(), invoice))
    expect(statements.filter((text) => /update/i.test(text) && !/for no key update/i.test(text))).toEqual([])
  })
})
