import { numbers, set } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { withRules } from './support/rules.ts'
import { storeWith } from './support/store-with.ts'

const works = defineResources({
  order: {
    fields: {
      series: Type.String(),
      number: Type.Integer(),
      reference: Type.String(),
      label: Type.Optional(Type.String()),
      key: Type.String(),
    },
    relations: { steps: owns.many('step') },
    unique: [['reference']],
  },
  step: { fields: { position: Type.Integer(), code: Type.String() }, relations: { order: ownedBy('order') } },
})

let keys = 0
const rules = {
  order: [
    set({
      series: () => 'A',
      reference: ({ row }: JsonBody) => `WO-${row.number}`,
      label: ({ row: { number, ...others } }: JsonBody) => `${number} of ${Object.keys(others).length}`,
      key: () => `key ${++keys}`,
    }),
    numbers('number', { per: ['series', ({ row }) => row.key.length > 0] }),
  ],
  step: [numbers('position', { start: 10 }), set({ code: ({ row }: JsonBody) => `S${row.position}` })],
}

describeOnBoth('`set()` of a row with a number', (database) => {
  const service = useApp(database, works, withRules(rules))

  test('makes values of the number, whichever rule comes first', async () => {
    const first = await service.add('/api/order', { steps: [{}, {}] })
    expect(first).toMatchObject({ series: 'A', number: 1, reference: 'WO-1', label: '1 of 4' })
    expect(first.steps).toMatchObject([
      { position: 10, code: 'S10' },
      { position: 11, code: 'S11' },
    ])
    const second = (await service.put(`/api/order/${first.id}`, { steps: [{}, ...first.steps] })).body
    expect(second).toMatchObject({ number: 1, reference: 'WO-1' })
    expect(second.steps.map(({ code }: JsonBody) => code)).toEqual(['S10', 'S11', 'S12'])
    const { rows } = (await service.post('/api/order', [{}, {}])).body
    expect(rows.map(({ reference }: JsonBody) => reference)).toEqual(['WO-2', 'WO-3'])
  })

  test('gives every other value once', async () => {
    const before = keys
    await service.add('/api/order', {})
    expect(keys).toBe(before + 1)
  })

  test('makes no value of it that decides on the number itself', async () => {
    const circular = {
      order: [
        set({ reference: () => 'r', key: () => 'k', series: ({ row }: JsonBody) => `${row.number}` }),
        numbers('number', { per: ['series'] }),
      ],
    }
    const store = storeWith(service.db, works, circular)
    await expect(store.resource('order').create({})).rejects.toThrow(
      /'per' of 'number'.*a value that is made of the number/,
    )
  })
})
