import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'

const resources = defineResources({
  list: { fields: { name: Type.String() }, relations: { items: owns.many('item') } },
  item: { fields: { name: Type.String() }, relations: { list: ownedBy('list'), parts: owns.many('part') } },
  part: { fields: { name: Type.String() }, relations: { item: ownedBy('item') } },
})

const namesOf = (records: readonly JsonBody[]) => records.map(({ name }) => name)

// Few rows are inserted by another statement than many, rows that others name by another one than those that none does.
describeOnBoth('new children, with and without children of their own, have ids in the order of the body', (db) => {
  const service = useApp(db, resources)

  test.each([1, 2, 8, 9, 40])('%i of them', async (count) => {
    const names = Array.from({ length: count }, (_, index) => `${count - index}`)
    const parts = names.map((name) => ({ name }))
    const items = names.map((name, index) => ({ name, parts: index === 0 ? parts : [] }))
    const created = await service.add('/api/list', { name: 'l', items })
    expect(namesOf(created.items)).toEqual(names)
    expect(namesOf(created.items[0].parts)).toEqual(names)
    const path = `/api/list/${created.id}`
    const replaced = (await service.put(path, { name: 'l', items: [created.items[0], ...items] })).body
    expect(namesOf(replaced.items)).toEqual([names[0], ...names])
    expect(namesOf(replaced.items[1].parts)).toEqual(names)
  })
})
