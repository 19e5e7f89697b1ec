import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { type TestApp, useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { category } from '../contract/models/category.ts'

const LEVELS = 5_000

/** `read` would write such a body as text, which takes too deep a stack. */
async function bodyOf(service: TestApp, path: string): Promise<JsonBody> {
  const { status, body } = await service.get(path)
  expect(status).toBe(200)
  return body
}

/** The names from a record down to the last that it owns, each owning one. */
function namesDown(record: JsonBody): string[] {
  const names: string[] = []
  for (let one = record; one !== undefined; one = one.categories[0]) names.push(one.name)
  return names
}

describeOnBoth('a tree of 5,000 levels', (database) => {
  // With `handlers`, answers are not compared with the document: that would take too deep a stack.
  const service = useApp(database, category, { plugin: { handlers: {} } })
  const names = Array.from({ length: LEVELS }, (_, level) => `n${level + 1}`)

  beforeEach(async () => {
    await sql`insert into category (id, name, "parentId")
      with recursive level(n) as (select 1 union all select n + 1 from level where n < ${sql.lit(LEVELS)})
      select n, 'n' || n, nullif(n - 1, 0) from level`.execute(service.db)
  })

  test('is read', async () => {
    expect(namesDown(await bodyOf(service, '/api/category/1'))).toEqual(names)
  })

  test('is in the list of roots', async () => {
    const { rows, count } = await bodyOf(service, '/api/category')
    expect([rows.length, count]).toEqual([1, 1])
    expect(namesDown(rows[0])).toEqual(names)
  })

  test('has a field of its root changed', async () => {
    const { status, body } = await service.patch('/api/category/1', { name: 'new' })
    expect(status).toBe(200)
    expect(namesDown(body)).toEqual(['new', ...names.slice(1)])
  })

  test('loses all below its root by PUT', async () => {
    const { status, body } = await service.put('/api/category/1', { name: 'new' })
    expect([status, body]).toEqual([200, { id: 1, name: 'new', categories: [] }])
    expect((await service.snapshot()).category).toHaveLength(1)
  })

  test('is deleted', async () => {
    expect((await service.delete('/api/category/1')).status).toBe(204)
    expect((await service.snapshot()).category).toEqual([])
  })
})
