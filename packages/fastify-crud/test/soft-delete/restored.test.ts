import { numbers, set, timestamps, transitions } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { createStore, defineResources } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'

const bills = defineResources({
  bill: {
    softDelete: 'deletedAt',
    fields: {
      number: Type.Integer(),
      status: Type.String({ default: 'draft' }),
      sum: Type.Integer(),
      createdAt: Type.String({ format: 'date-time' }),
      updatedAt: Type.String({ format: 'date-time' }),
    },
  },
})

describeOnBoth('a record that comes back', (database) => {
  const seen: unknown[] = []
  let sum = 0
  const rules = {
    bill: [
      numbers('number'),
      timestamps(),
      set({ sum: () => ++sum }),
      transitions('status', { draft: ['sent'], sent: [] }),
      {
        validate: ({ action, restored, before }: JsonBody) => void seen.push(['validate', action, restored, before]),
        afterWrite: ({ action, restored }: JsonBody) => void seen.push(['afterWrite', action, restored]),
      },
    ],
  } as never
  const service = useApp(database, bills, { plugin: { rules } })

  test('is as it was, beyond its first state, too, and takes no number', async () => {
    const store = createStore({ db: service.db, resources: bills, rules })
    const first = await service.add('/api/bill', {})
    await service.patch(`/api/bill/${first.id}`, { status: 'sent' })
    const sent = await service.read(`/api/bill/${first.id}`)
    for (let times = 0; times < 2; times += 1) {
      await service.delete(`/api/bill/${first.id}`)
      seen.length = 0
      expect(await store.bill.restore(first.id)).toEqual(sent)
      expect(seen).toEqual([
        ['validate', 'Add', true, null],
        ['afterWrite', 'Add', true],
      ])
    }
    const next = await service.add('/api/bill', {})
    expect([first.number, next.number]).toEqual([1, 2])
  })

  test('is told from a new one', async () => {
    seen.length = 0
    await service.add('/api/bill', {})
    expect(seen).toEqual([
      ['validate', 'Add', undefined, null],
      ['afterWrite', 'Add', undefined],
    ])
  })
})
