import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, type OpenDatabase, type TestDatabase } from '../../../test/support/databases.ts'
import { alter, checkHandMade, type HandMade, handMade } from './hand-made.ts'

const [sqlite] = databases as [TestDatabase, TestDatabase]

describe('checkTables on what only SQLite has', () => {
  let open: OpenDatabase

  beforeAll(async () => {
    open = await sqlite.open()
  })
  afterAll(() => open.close())

  const check = (statements: HandMade) => checkHandMade(open, statements)

  test('finds an id that is given again after its record was deleted', async () => {
    const expected = [
      {
        table: 'part',
        column: 'id',
        message: 'part.id is not AUTOINCREMENT: a new record can get the id of one that was deleted',
        severity: 'warning',
      },
    ]
    expect(await check(alter('part', 'id ID', 'id integer primary key'))).toMatchObject(expected)
    expect(await check(alter('part', 'id ID', 'id integer primary key /* autoincrement */'))).toMatchObject(expected)
    expect(await check(alter('part', 'id ID', 'id integer primary key, "autoincrement" text'))).toMatchObject(expected)
  })

  test('names all tables whose ids are given again in one warning', async () => {
    const part = alter('part', 'id ID', 'id integer primary key').part as string
    expect(await check({ ...alter('vendor', 'id ID', 'id integer primary key'), part })).toEqual([
      {
        kind: 'id',
        severity: 'warning',
        wanted: 'INTEGER PRIMARY KEY AUTOINCREMENT',
        found: 'INTEGER PRIMARY KEY',
        message: 'vendor.id, part.id are not AUTOINCREMENT: a new record can get the id of one that was deleted',
      },
    ])
  })

  test.each([
    ['id integer primary key desc', ')', 'as its key is not the row number, such as INTEGER PRIMARY KEY DESC'],
    ['id integer primary key', ') without rowid', 'as the table is WITHOUT ROWID'],
    ['id int primary key', ')', 'as its type is INT, and not INTEGER'],
  ])('finds an id that SQLite gives no value: %s%s', async (id, end, why) => {
    const statement = handMade.part?.replace('id ID', id).replace(/\)$/, end)
    expect(await check({ ...handMade, part: statement as string })).toMatchObject([
      { severity: 'error', column: 'id', message: expect.stringContaining(why) },
    ])
  })

  test('does not tell upper from lower case in names', async () => {
    const shouted = Object.fromEntries(
      Object.entries(handMade).map(([name, statement]) => [
        name,
        statement.replace(/\b(?!ID|KEY)[a-z]+(?=[\s"(),])/gi, (word) => word.toUpperCase()),
      ]),
    )
    expect(await check(shouted)).toEqual([])
  })

  test('takes a foreign key without a column for one to the primary key', async () => {
    expect(await check(alter('part', 'product (id)', 'product'))).toEqual([])
    expect(await check(alter('part', 'product (id)', 'vendor'))).toMatchObject([
      { message: 'part.productId references vendor (id), but part.product names product.id' },
    ])
  })

  test('accepts tables that are strict or without a rowid', async () => {
    const product_tags = `${handMade.product_tags} strict, without rowid`
    expect(await check({ ...handMade, product_tags, tag: `${handMade.tag} strict` })).toEqual([])
  })
})
