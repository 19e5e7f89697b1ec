import SqliteDriver from 'better-sqlite3'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { SlowReads } from '../../src/session/sqlite/slow-reads.ts'
import { CLIENT_SHAPE } from '../../src/sql/text/prepare.ts'

let database: SqliteDriver.Database
let ms: number
let asked: string[]
let reads: SlowReads
beforeEach(() => {
  ms = 60
  asked = []
  database = new SqliteDriver(':memory:')
  onTestFinished(() => void database.close())
  database.exec('create table note (id integer primary key, word, rank); create index ranks on note (rank)')
  database.exec(`insert into note (word, rank) with recursive n (i) as (select 1 union all select i + 1 from n where i < 20000)
    select printf('%0300d', i), i from n`)
  reads = new SlowReads(database, {
    async read(sql) {
      asked.push(sql)
      return { value: 'of a thread', ms }
    },
  })
})

const BY_ID = 'select word from note where id = ?'

test('a read is slow when it took more than 50 ms twice, until a thread needs less', async () => {
  expect(reads.concerns(BY_ID)).toBe(false)
  reads.note(BY_ID, 51)
  expect(await reads.value(BY_ID, [1])).toBeUndefined()
  reads.note(BY_ID, 51)
  expect(await reads.value(BY_ID, [1])).toMatchObject({ value: 'of a thread' })
  ms = 4
  expect(await reads.value(BY_ID, [1])).toMatchObject({ value: 'of a thread' })
  expect(await reads.value(BY_ID, [1])).toBeUndefined()
  expect(asked).toHaveLength(2)
})

test.each([
  ['select count(*) from note where rank > ?', false],
  ['select word from note where id in (select value from json_each(?))', false],
  ['with page as materialized (select * from note where rank = ?) select word from page as note', false],
  ['select max(word) from note where word > ?', true],
  ['select word from note where rank > ? order by word', false],
  ['select word from note where word like ? order by rank', true],
  ['select word from note where id = (select id from note where word = ?)', true],
])('%s: reads a whole table: %s', async (sql, scans) => {
  ms = 1
  for (let n = 0; n < 2; n++) expect((await reads.value(sql + CLIENT_SHAPE, ['1'])) !== undefined).toBe(scans)
})

test('a read of a whole table stays one for the threads, however quick or slow it was', async () => {
  const sql = `select word from note where word = ?${CLIENT_SHAPE}`
  ms = 1
  await reads.value(sql, ['x'])
  for (let n = 0; n < 2; n++) reads.note(sql, 51)
  for (let n = 0; n < 2; n++) expect(await reads.value(sql, ['x'])).toMatchObject({ value: 'of a thread' })
})

test('a query that costs more is one for the threads in a smaller file', async () => {
  database.exec('delete from note where id > 4000; vacuum')
  const sql = (word: string) => `select word as ${word} from note where word = ?${CLIENT_SHAPE}`
  const asks = async (word: string, cost: number) => (await reads.value(sql(word), ['x'], { cost })) !== undefined
  expect([await asks('a', 0), await asks('b', 10), await asks('c', 60)]).toEqual([false, false, true])
  database.exec('delete from note where id > 100; vacuum')
  expect(await asks('d', 100)).toBe(false)
})
