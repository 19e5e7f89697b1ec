import { audit, outbox, readOutbox } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { createTables, defineResources, type Model, needs, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { createChangeTables } from './support/records-of-changes.ts'
import { withRules } from './support/rules.ts'

const model = defineResources({
  order: {
    id: 'integer',
    fields: { name: Type.String() },
    relations: { lines: owns.many('line'), bill: owns.one('bill') },
  },
  line: {
    id: ['order', 'product'],
    fields: { quantity: Type.Integer() },
    relations: { order: ownedBy('order'), product: needs.one('product') },
  },
  bill: { id: ['order'], fields: { total: Type.Integer() }, relations: { order: ownedBy('order') } },
  product: { id: 'text', fields: { name: Type.String() } },
  seat: {
    id: ['row', 'number'],
    fields: { row: Type.String(), number: Type.Integer(), guest: Type.Optional(Type.String()) },
  },
}) as Model

for (const [table, rule] of [
  ['audit', audit('audit')],
  ['outbox', outbox('outbox')],
] as const) {
  describeOnBoth(`\`${table}\` of records whose members make up their ids`, (database) => {
    const service = useApp(database, model, {
      ...withRules({ line: rule, bill: rule, seat: rule }),
      async tables(open) {
        await createTables(open.db, model)
        await createChangeTables(open)
      },
    })
    const changes = async (): Promise<JsonBody[]> => {
      const rows = await service.db.selectFrom(table).selectAll().orderBy('id').execute()
      await service.db.deleteFrom(table).execute()
      return rows.map(({ action, resource, recordId }: JsonBody) => `${action} ${resource} ${recordId}`).sort()
    }

    test('has their whole ids, whatever the way to them is', async () => {
      for (const id of ['a', 'b,c', 'd']) await service.add('/api/product', { id, name: id })
      const lines = [
        { productId: 'a', quantity: 1 },
        { productId: 'b,c', quantity: 2 },
      ]
      const { id } = await service.add('/api/order', { name: 'o', lines, bill: { total: 1 } })
      const path = `/api/order/${id}`
      expect(await changes()).toEqual([`Add bill ${id}`, `Add line ${id},a`, `Add line ${id},b~1c`])
      await service.put(path, {
        name: 'o',
        lines: [
          { id: 'b,c', quantity: 3 },
          { productId: 'd', quantity: 1 },
        ],
        bill: { total: 2 },
      })
      expect(await changes()).toEqual([
        `Add line ${id},d`,
        `Delete line ${id},a`,
        `Edit bill ${id}`,
        `Edit line ${id},b~1c`,
      ])
      await service.patch(`${path}/line/d`, { quantity: 0 })
      await service.delete(`${path}/line/d`)
      await service.post(`${path}/line/d`, { quantity: 7 })
      expect(await changes()).toEqual([`Add line ${id},d`, `Delete line ${id},d`, `Edit line ${id},d`])
      await service.add('/api/seat', { row: 'A,B', number: 0 })
      await service.patch('/api/seat/A~1B,0', { guest: 'g' })
      await service.delete('/api/seat/A~1B,0')
      expect(await changes()).toEqual(['Add seat A~1B,0', 'Delete seat A~1B,0', 'Edit seat A~1B,0'])
      await service.delete(path)
      expect(await changes()).toEqual([`Delete bill ${id}`, `Delete line ${id},b~1c`, `Delete line ${id},d`])
    })

    if (table === 'outbox')
      test('gives a worker the records, with all parts and the whole id', async () => {
        await service.add('/api/product', { id: 'a', name: 'a' })
        const { id } = await service.add('/api/order', { name: 'o', lines: [{ productId: 'a', quantity: 1 }] })
        const seen: JsonBody[] = []
        await readOutbox(service.db, table, async (changes) => {
          seen.push(...changes)
        })
        expect(seen).toMatchObject([
          {
            resource: 'line',
            recordId: `${id},a`,
            action: 'Add',
            after: { id: `${id},a`, orderId: id, productId: 'a', quantity: 1 },
          },
        ])
      })
  })
}
