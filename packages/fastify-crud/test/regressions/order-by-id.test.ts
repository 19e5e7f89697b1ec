import { Type } from '@sinclair/typebox'
import { createTables, defineResources, knows, ownedBy, owns } from 'fastify-crud'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'

const resources = defineResources({
  list: { fields: { name: Type.String() }, relations: { items: owns.many('item'), tags: knows.many('tag') } },
  item: {
    fields: { name: Type.String() },
    relations: { list: ownedBy('list'), parent: ownedBy('item'), items: owns.many('item') },
  },
  tag: { fields: { name: Type.String() } },
})

/** By each of these it is fastest to find rows in the order of their names. */
const INDEXES = ['item ("listId", name, id)', 'item ("parentId", name, id)', 'tag (name, id)', 'list (name, id)']

const namesOf = (records: readonly JsonBody[]) => records.map(({ name }) => name)

describeOnBoth('records whose indexes have them in another order', (db) => {
  const service = useApp(db, resources, {
    async tables({ db }) {
      await createTables(db, resources)
      for (const index of INDEXES) await sql.raw(`create index on_${INDEXES.indexOf(index)} on ${index}`).execute(db)
    },
  })

  test('stand in arrays and lists in the order of their ids', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `n${(index * 7) % 12}`)
    const tags: JsonBody[] = []
    for (const name of names) tags.push(await service.add('/api/tag', { name }))
    const items = names.map((name) => ({ name, items: names.map((inner) => ({ name: inner })) }))
    const list = await service.add('/api/list', { name: 'z', items, tags: tags.toReversed() })
    await service.add('/api/list', { name: 'a' })
    for (const record of [list, await service.read(`/api/list/${list.id}`)]) {
      expect(namesOf(record.items)).toEqual(names)
      for (const item of record.items) expect(namesOf(item.items)).toEqual(names)
      expect(namesOf(record.tags)).toEqual(names)
    }
    expect(namesOf((await service.read('/api/list')).rows)).toEqual(['z', 'a'])
    expect(namesOf((await service.read(`/api/list/${list.id}/item`)).rows)).toEqual(names)
    expect(namesOf((await service.read('/api/tag')).rows)).toEqual(names)
  })
})
