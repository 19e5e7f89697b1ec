import { createStore } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { withTestIds } from '../../../../test/support/test-ids.ts'
import { office } from '../contract/soft-delete/support/office.ts'

describeOnBoth('rules and softDelete', (database) => {
  const seen: unknown[] = []
  const invariants: unknown[] = []
  const note = (part: string) => (change: JsonBody) => {
    const { action, before, after } = change
    seen.push([part, action, before?.text ?? before?.number ?? null, after?.text ?? after?.number ?? null])
  }
  const rules = {
    invoice: {
      validate({ action, before, refuse }: JsonBody) {
        if (action === 'Delete' && before.note === 'keep') refuse('it is kept')
        if (action === 'Add' && before === null && seen.includes('closed')) refuse('the office is closed')
      },
      invariant: {
        reads: ['lines.amount'],
        test({ after, refuse }: JsonBody) {
          invariants.push(after?.lines.length)
          if ((after?.lines ?? []).length > 2) refuse('too many lines')
        },
      },
      afterWrite: note('invoice'),
    },
    line: { afterWrite: note('line') },
  }
  const all = rules as never
  const service = useApp(database, office, { plugin: { rules: all } })
  const store = () => createStore({ db: service.db, resources: withTestIds(office), rules: all })
  let invoice: JsonBody
  const path = () => `/api/invoice/${invoice.id}`

  beforeEach(async () => {
    seen.length = 0
    const customer = await service.add('/api/customer', { name: 'c' })
    const lines = [
      { text: 'a', amount: 1 },
      { text: 'b', amount: 2 },
    ]
    invoice = await service.add('/api/invoice', { number: '1', customerId: customer.id, lines })
    seen.length = 0
    invariants.length = 0
  })

  test('see Delete, with null after it, for each row that is marked', async () => {
    await service.delete(path())
    expect(seen).toEqual(
      expect.arrayContaining([
        ['invoice', 'Delete', '1', null],
        ['line', 'Delete', 'a', null],
        ['line', 'Delete', 'b', null],
      ]),
    )
    expect(seen).toHaveLength(3)
  })

  test('may refuse a DELETE', async () => {
    await service.patch(path(), { note: 'keep' })
    await service.refuse('DELETE', path(), undefined, { code: 'CRUD_ERR_REFUSED' })
  })

  test('see Add for each row that comes back, and may refuse it', async () => {
    await service.delete(path())
    seen.length = 0
    await store().invoice.restore(invoice.id)
    expect(seen).toEqual(
      expect.arrayContaining([
        ['invoice', 'Add', null, '1'],
        ['line', 'Add', null, 'a'],
        ['line', 'Add', null, 'b'],
      ]),
    )
    expect(seen).toHaveLength(3)
    await service.delete(path())
    seen.push('closed')
    await expect(store().invoice.restore(invoice.id)).rejects.toMatchObject({ code: 'CRUD_ERR_REFUSED' })
    expect((await service.get(path())).status).toBe(404)
  })

  test('invariants hold for what a child comes back to', async () => {
    const [first] = invoice.lines
    await service.delete(`${path()}/line/${first.id}`)
    await service.post(`${path()}/line`, { text: 'c', amount: 3 })
    invariants.length = 0
    const restored = store().invoice.owned(invoice.id, 'lines').restore(first.id)
    await expect(restored).rejects.toMatchObject({ code: 'CRUD_ERR_REFUSED' })
    expect(invariants).toEqual([3])
    expect(await service.read(path())).toMatchObject({ lineCount: 2 })
  })
})
