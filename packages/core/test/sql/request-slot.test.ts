import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { describeOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import { sessionPool } from '../../src/session/session-pool.ts'
import { prepare } from '../../src/sql/text/prepare.ts'
import { requestSlot, slot } from '../../src/sql/text/sql-text.ts'
import { sourceOf } from '../../src/sql/text/stored-rows.ts'

interface Caller {
  readonly org: string
}

const org = requestSlot((caller) => (caller as Caller).org)

describeOnDatabases('a parameter that the request supplies', (database) => {
  test('stands in a statement beside slots, and each request has its own', async () => {
    const open = await database.open()
    try {
      await sql`create table thing (id integer primary key, org text, word text)`.execute(open.db)
      await sql`insert into thing values (1, 'a', 'one'), (2, 'b', 'two'), (3, 'a', 'three')`.execute(open.db)
      const things = sourceOf(sql`thing`, 't', [sql`t.org = ${org}`])
      const named = prepare(open.db, sql`select max(word) as word ${things.from(sql`t.id <= ${slot('most')}`)}`)
      const counted = prepare(open.db, sql`select count(*) as number ${things.from(sql`t.id <> ${slot(0)}`)}`)
      const sessions = sessionPool(open.db)
      const callers = ['a', 'b', 'c']
      const words = callers.map((one) => sessions.value(named, { most: 2 }, { org: one }))
      expect(await Promise.all(words)).toEqual(['one', 'two', null])
      const numbers = callers.map((one) => sessions.use({ org: one }, (session) => session.value(counted, [3])))
      expect((await Promise.all(numbers)).map(Number)).toEqual([1, 1, 0])
    } finally {
      await open.close()
    }
  })
})
