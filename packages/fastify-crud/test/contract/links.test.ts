import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { type TestApp, useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { knowsMany } from './models/knows.ts'
import { needsMany } from './models/needs-many.ts'

/** Gives a link table a column of its own, with a default that a new link has. */
async function addColumn(service: TestApp, table: string) {
  await sql`alter table ${sql.table(table)} add column mark text not null default 'new'`.execute(service.db)
}

async function markAll(service: TestApp, table: string) {
  await sql`update ${sql.table(table)} set mark = 'old'`.execute(service.db)
}

describeOnBoth('needs.many over a link table with columns of its own', (database) => {
  const service = useApp(database, needsMany)

  test('PUT [2, 3] over [1, 2] inserts one link and deletes one; the other is untouched', async () => {
    const parents: JsonBody[] = []
    for (const name of ['1', '2', '3']) parents.push(await service.add('/api/parent', { name }))
    const [one, two, three] = parents.map(({ id }) => ({ id }))
    const child = await service.add('/api/child', { name: 'c', parents: [one, two] })
    await addColumn(service, 'child_parents')
    await markAll(service, 'child_parents')
    expect((await service.put(`/api/child/${child.id}`, { name: 'c', parents: [two, three] })).status).toBe(200)
    const links = sql`select name, mark from child_parents join parent on parent.id = "parentId" order by name`
    expect((await links.execute(service.db)).rows).toEqual([
      { name: '2', mark: 'old' },
      { name: '3', mark: 'new' },
    ])
  })
})

describeOnBoth('knows.many over a link table with columns of its own', (database) => {
  const service = useApp(database, knowsMany)

  test('a PUT or PATCH of the same set leaves them', async () => {
    const b = await service.add('/api/b', { name: 'b' })
    const c = await service.add('/api/b', { name: 'c' })
    const record = await service.add('/api/a', { name: 'a', bs: [{ id: b.id }, { id: c.id }] })
    await addColumn(service, 'a_bs')
    await markAll(service, 'a_bs')
    const before = await service.snapshot()
    for (const bs of [record.bs, [{ id: c.id }, { id: b.id }]]) {
      expect((await service.put(`/api/a/${record.id}`, { ...record, bs })).body).toEqual(record)
      expect((await service.patch(`/api/a/${record.id}`, { bs })).body).toEqual(record)
      expect(await service.snapshot()).toEqual(before)
    }
  })
})
