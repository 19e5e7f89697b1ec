import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'

const model = defineResources({
  list: {
    fields: { name: Type.String() },
    relations: { items: owns.many('item', { order: 'position' }) },
    history: true,
  },
  item: { fields: { name: Type.String() }, relations: { list: ownedBy('list') } },
})

describeOnBoth('the undo of another order', (database) => {
  const service = useApp(database, model)

  test('gives each record its number back, also under a unique key of the database over the owner and the number', async () => {
    await sql`create unique index item_places on item (${sql.ref('listId')}, ${sql.ref('position')})`.execute(
      service.db,
    )
    const names = ['a', 'b', 'c', 'd']
    const list = await service.add('/api/list', { name: 'l', items: names.map((name) => ({ name })) })
    const path = `/api/list/${list.id}`
    const rows = () => service.db.selectFrom('item').selectAll().orderBy('id').execute()
    const before = await rows()
    const [a, b, c, d] = list.items.map(({ id }: JsonBody) => ({ id }))
    for (const items of [
      [d, c, b, a],
      [b, a, c, d],
      [b, c, d, a],
      [d, a],
    ]) {
      const all = items.map(({ id }) => list.items.find((one: JsonBody) => one.id === id))
      expect((await service.put(path, { name: 'other', items: all })).status).toBe(200)
      expect(await rows()).not.toEqual(before)
      const [entry] = (await service.read(`${path}/$history`)).rows
      const undone = await service.request('POST', `${path}/$history/${entry.write}/$undo`)
      expect(undone.status, JSON.stringify(undone.body)).toBeLessThan(300)
      expect(await rows()).toEqual(before)
    }
  })
})
