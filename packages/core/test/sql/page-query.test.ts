import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase } from '../../../../test/support/databases.ts'
import { type CollectionPath, ownedPath, topPath } from '../../src/model/collection-path.ts'
import type { QueryContext } from '../../src/sql/context.ts'
import { pageQuery } from '../../src/sql/reads/page-query.ts'
import { visibleRows } from '../../src/sql/rows/visible-rows.ts'
import { idSlot } from '../../src/sql/text/member-id-sql.ts'
import { prepare } from '../../src/sql/text/prepare.ts'
import { column, slot } from '../../src/sql/text/sql-text.ts'
import { bookshop, fillBookshop, inLines, jsonOf, resourceOf, rowsOf } from './bookshop.ts'

describe.each(databases)('the query of a page ($name)', (database) => {
  let open: OpenDatabase
  let context: QueryContext

  beforeAll(async () => {
    open = await database.open()
    context = await fillBookshop(open)
  })
  afterAll(() => open.close())

  const page = (place: CollectionPath, values: object) =>
    jsonOf(context, pageQuery(context, place).statement, { limit: 20, offset: 0, ...values })

  test('gives rows in the order of their ids, and the count of all', async () => {
    const place = topPath(bookshop, 'tag')
    await expect(inLines(pageQuery(context, place).statement)).toMatchFileSnapshot(`./sql/page.${database.name}.sql`)
    const [first, second] = [
      { id: 1, word: 'new' },
      { id: 2, word: 'old' },
    ]
    expect(await page(place, {})).toEqual({ rows: [first, second], count: 2 })
    expect(await page(place, { limit: 1, offset: 1 })).toEqual({ rows: [second], count: 2 })
    expect(await page(place, { limit: 1 })).toEqual({ rows: [first], count: 2, next: [1] })
    expect(await page(place, { offset: 2 })).toEqual({ rows: [], count: 2 })
  })

  test('gives the rows of one owner; null where there is no such owner', async () => {
    const place = ownedPath(topPath(bookshop, 'book'), 'chapters')
    await expect(inLines(pageQuery(context, place).statement)).toMatchFileSnapshot(
      `./sql/owned-page.${database.name}.sql`,
    )
    expect(await page(place, { owner0: 1, limit: 1 })).toMatchObject({ rows: [{ id: 1, title: 'Start' }], count: 2 })
    expect(await page(place, { owner0: 2 })).toEqual({ rows: [], count: 0 })
    expect(await page(place, { owner0: 3 })).toBeNull()
  })

  test('lists the roots of trees only', async () => {
    expect(await page(topPath(bookshop, 'category'), {})).toMatchObject({ rows: [{ id: 1, name: 'root' }], count: 1 })
  })

  test('a page has any conditions and any order', async () => {
    const source = visibleRows(context, resourceOf('book'), 't0')
    const [id, title] = [column('t0', 'id'), column('t0', 'book_title')]
    const rows = context.dialect.page({
      source,
      byId: source,
      conditions: [sql`${id} > ${idSlot(context, resourceOf('book'), 'after')}`, sql`${title} <> ''`],
      id,
      order: [sql`${title} desc`, id],
      limit: context.dialect.quantity(slot('limit')),
      offset: context.dialect.quantity(slot('offset')),
    })
    const query = prepare(context.db, sql`select page.book_title as title from (${rows}) as page`)
    await expect(inLines(query)).toMatchFileSnapshot(`./sql/sorted-page.${database.name}.sql`)
    const titles = async (values: object) =>
      (await rowsOf(context, query, { limit: 5, offset: 0, ...values })) as unknown
    expect(await titles({ after: 0 })).toEqual([{ title: 'Two' }, { title: 'One' }])
    expect(await titles({ after: 0, limit: 1, offset: 1 })).toEqual([{ title: 'One' }])
    expect(await titles({ after: 1 })).toEqual([{ title: 'Two' }])
  })
})
