import { createStore } from 'fastify-crud'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { category } from '../contract/models/category.ts'

const LEVELS = 8_000

/** A category with one below it, and so on to this level, as text. */
function treeFrom(first: number, name: (level: number) => string): string {
  const levels = Array.from({ length: LEVELS - first + 1 }, (_, n) => first + n)
  const open = levels.map((level) => `{"id":${level},"name":"${name(level)}","categories":[`)
  return `${open.join('')}${']}'.repeat(levels.length)}`
}

const plainName = (level: number) => `n${level}`
const tree = treeFrom(1, plainName)
const changedTree = treeFrom(1, (level) => (level === 1 ? 'changed' : plainName(level)))

describeOnBoth(`a tree of ${LEVELS} levels in a replaced endpoint`, (database) => {
  const access = { action: 'View', id: 'id' } as const
  const service = useApp(database, category, {
    plugin: {
      handlers: {
        category: {
          findOne: {
            access,
            async handler(request, _reply, next) {
              const record = await next()
              if (request.headers['x-change'] !== undefined) Object.assign(record, { name: 'changed' })
            },
          },
          patch: {
            access: { action: 'Edit', id: 'id' },
            async handler(_request, _reply, next) {
              await next()
            },
          },
        },
      },
    },
  })

  const send = async (method: 'GET' | 'PATCH', headers: Record<string, string> = {}, payload?: object) => {
    const answer = await service.fastify.inject({
      method,
      url: '/api/category/1',
      headers,
      ...(payload && { payload }),
    })
    return [answer.statusCode, answer.payload]
  }

  beforeEach(async () => {
    await sql`insert into category (id, name, "parentId")
      with recursive level(n) as (select 1 union all select n + 1 from level where n < ${sql.lit(LEVELS)})
      select n, 'n' || n, nullif(n - 1, 0) from level`.execute(service.db)
  })

  test('is answered by `next()` as by the predefined endpoint', async () => {
    const list = await service.fastify.inject({ method: 'GET', url: '/api/category' })
    expect(list.payload).toBe(`{"rows":[${tree}],"count":1}`)
    expect(await send('GET')).toEqual([200, tree])
  })

  test('is answered with what the handler has changed of it', async () => {
    expect(await send('GET', { 'x-change': 'yes' })).toEqual([200, changedTree])
  })

  test('is answered after it was changed in the database', async () => {
    expect(await send('PATCH', {}, { name: 'changed' })).toEqual([200, changedTree])
  })

  test('is read by the typed store', async () => {
    let record = await createStore({ db: service.db, resources: category }).resource('category').find(1)
    let levels = 1
    for (; record.categories[0] !== undefined; levels++) record = record.categories[0] as typeof record
    expect([levels, record.name]).toEqual([LEVELS, plainName(LEVELS)])
  })
})
