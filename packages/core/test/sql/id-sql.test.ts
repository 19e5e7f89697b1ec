import { createStore, defineResources, ownedBy, owns } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase } from '../../../../test/support/databases.ts'
import { columnMisfit } from '../../../tables/src/check/columns/column-misfit.ts'
import { tableLayout } from '../../../tables/src/layout/tables-of-model.ts'
import type { DatabaseName } from '../../src/model/database-name.ts'
import { integerId } from '../../src/model/ids/integer-id.ts'
import { resourceOf } from '../../src/model/model.ts'
import { type QueryContext, queryContext } from '../../src/sql/context.ts'
import type { AssignedIds, IdSql } from '../../src/sql/dialect/id-sql.ts'
import { idSqlOf } from '../../src/sql/text/member-id-sql.ts'
import type { Sql } from '../../src/sql/text/sql-text.ts'
import { storedRows, tableOf } from '../../src/sql/text/stored-rows.ts'

const shop = defineResources({
  shelf: { fields: { name: { type: 'string' } }, relations: { boxes: owns.many('box') } },
  box: { fields: { name: { type: 'string' } }, relations: { shelf: ownedBy('shelf') } },
})
const shelf = resourceOf(shop, 'shelf')
const LARGEST = Number.MAX_SAFE_INTEGER
const { compare } = integerId('database')

describe.each(databases)('integer ids in SQL ($name)', (database) => {
  let open: OpenDatabase
  let context: QueryContext
  let ids: IdSql

  beforeAll(async () => {
    open = await database.open()
    await createTables(open.db, shop)
    context = queryContext(open.db)
    ids = idSqlOf(context, shelf)
  })
  beforeEach(async () => {
    await open.empty()
    for (const id of [10, 9, LARGEST]) await sql`insert into shelf (id, name) values (${id}, 'a')`.execute(open.db)
  })
  afterAll(() => open.close())

  const id = sql`id`
  const expectText = (query: Sql, texts: Record<DatabaseName, string>) =>
    expect(query.compile(open.db).sql).toBe(texts[database.name])
  const rows = async (query: Sql) => (await query.execute(open.db)).rows as Record<string, unknown>[]
  /** The ids of shelves, in the order of the query. */
  const found = async (rest: Sql) =>
    (await rows(sql`select ${ids.text(id)} as id_text from shelf ${rest}`)).map((row) =>
      ids.fromText(row.id_text as string),
    )
  const text = async (expression: Sql) => (await rows(sql`select ${expression} as text`))[0]?.text

  test('a parameter can be compared with an id of any size', async () => {
    const condition = sql`where id = ${ids.typed(sql`${LARGEST}`)}`
    expectText(condition, { sqlite: 'where id = ?', postgres: 'where id = $1::bigint' })
    expect(await found(condition)).toEqual([LARGEST])
  })

  test('any number of ids goes in one parameter', async () => {
    const list = (...some: number[]) => ids.list(sql`${ids.encodeList(some)}`)
    expectText(list(9), {
      sqlite: 'select value as "id" from json_each(?)',
      postgres: 'select unnest((select $1::bigint[])) as "id"',
    })
    expect(await found(sql`where id in (${list(9, LARGEST, 1)}) order by id`)).toEqual([9, LARGEST])
    expect(await found(sql`where id in (${list()})`)).toEqual([])
  })

  test('a row is found by its id through the index', async () => {
    const condition = sql`where ${ids.equalsByIndex(id, sql.lit(9))}`
    expectText(condition, {
      sqlite: 'where id = 9',
      postgres: `where id = 9 and (id > 0 or pg_catalog.to_tsvector('') is not null)`,
    })
    expect(await found(condition)).toEqual([9])
  })

  test('rows are found by a foreign key that few rows have', async () => {
    const condition = sql`where ${ids.equalsInFewRows(id, sql.lit(9))}`
    expectText(condition, { sqlite: 'where unlikely(id = 9)', postgres: 'where id = 9 and id + 0 = 9' })
    expect(await found(condition)).toEqual([9])
  })

  test('the order is that of the kind, with and without the index', async () => {
    const inOrder = [LARGEST, 10, 9].sort(compare)
    expectText(ids.orderWithoutIndex(id), { sqlite: 'id', postgres: 'id + 0' })
    expect(await found(sql`order by ${ids.order(id)}`)).toEqual(inOrder)
    expect(await found(sql`order by ${ids.orderWithoutIndex(id)}`)).toEqual(inOrder)
  })

  test('the JSON is the integer, between texts and alone', async () => {
    const largest = ids.typed(sql.lit(LARGEST))
    expect(await text(sql`'[' || ${ids.json(largest)} || ']'`)).toBe(`[${LARGEST}]`)
    expect(await text(ids.jsonText(largest))).toBe(String(LARGEST))
    expect(await text(ids.jsonText(sql`null`))).toBeNull()
  })

  test('an id is read from its text', async () => {
    expect(ids.fromText((await text(ids.text(sql.lit(LARGEST)))) as string)).toBe(LARGEST)
  })

  test('checkTables takes the types that keep every id, those of createTables among them', () => {
    const columns = tableLayout(shop).flatMap((table) => table.columns)
    const misfit = (kind: 'id' | 'foreignKey', type: string) => {
      const column = columns.find((one) => one.kind === kind)
      return column && columnMisfit(database.name, column, { type } as never, false)
    }
    const fitting = { sqlite: ['integer', 'bigint', 'int'], postgres: ['int2', 'int4', 'int8'] }[database.name]
    for (const type of fitting) expect([misfit('id', type), misfit('foreignKey', type)]).toEqual([undefined, undefined])
    for (const type of ['text', 'uuid', 'float8']) expect(misfit('id', type)?.severity, type).toBe('error')
    expect(ids.columns.type).toBe({ sqlite: 'integer', postgres: 'bigint' }[database.name])
  })

  test('reserved ids are in order, above all that were given and chosen, and the next row gets another one', async () => {
    const { reserve, toReserved, floorAbove, skip } = ids.assigned as AssignedIds
    const floor = floorAbove([30, 50, 40])
    expect([floor, floorAbove([])]).toEqual([50, 0])
    await sql`delete from shelf where id = ${LARGEST}`.execute(open.db)
    const chosen = skip?.(tableOf(context, shelf), 'id', ids.typed(sql`${50}`))
    if (chosen !== undefined) await rows(chosen)
    if (database.name === 'sqlite') await sql`update sqlite_sequence set seq = 60 where name = 'shelf'`.execute(open.db)
    const query = reserve(tableOf(context, shelf), 'id', sql`${3}`, sql`${floor}`, true)
    const reserved = toReserved(JSON.parse(String(await text(query))), 3)
    expect(reserved).toHaveLength(3)
    expect(reserved.toSorted(compare)).toEqual(reserved)
    expect(Math.min(...(reserved as number[]))).toBeGreaterThan(database.name === 'sqlite' ? 60 : 50)
    for (const one of reserved) await sql`insert into shelf (id, name) values (${one}, 'b')`.execute(open.db)
    const { id: next } = await createStore({ db: open.db, resources: shop }).resource('shelf').create({ name: 'c' })
    expect(reserved).not.toContain(next)
  })

  test('the highest id of rows is that of the kind, and 0 where there are none', async () => {
    const highest = (ids.assigned as AssignedIds).highest('id', storedRows(context, shelf))
    expectText(highest, {
      sqlite: '(select coalesce(max("id"), 0) from "shelf")',
      postgres: '(select coalesce(max("id"), 0) from "shelf")',
    })
    expect(Number(await text(highest))).toBe(LARGEST)
    await open.empty()
    expect(Number(await text(highest))).toBe(0)
  })

  test('an INSERT can bring an id even where the database always assigns one', async () => {
    if (database.name === 'postgres') await sql`alter table shelf alter id set generated always`.execute(open.db)
    await sql`insert into shelf (id, name)${ids.assigned?.overriding} values (77, 'd')`.execute(open.db)
    if (database.name === 'postgres') await sql`alter table shelf alter id set generated by default`.execute(open.db)
    expect(await found(sql`where id = 77`)).toEqual([77])
  })

  test('the objects are frozen', () => {
    for (const one of [ids, ids.columns, ids.assigned, context.dialect.ids]) expect(Object.isFrozen(one)).toBe(true)
  })
})
