/** A file that is large enough for reader threads, and lists of it that take long. */
import { createStore, defineResources } from '@fastify-crud/core'
import { type OpenSqliteOptions, openSqlite } from '@fastify-crud/core/sqlite'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { sql } from 'kysely'

export const resources = defineResources({
  note: { fields: { word: Type.String(), text: Type.String(), rank: Type.Integer({ index: true }) } },
})

const ROWS = 20_000

/** All of it is read for this list, and no index helps. */
export const SLOW = {
  filter: { or: Array.from({ length: 20 }, (_, n) => ({ text: { icontains: `Ä${n}` } })) },
} as const

/** The same with other values of another shape. */
export const RARE = { filter: { word: { icontains: 'WORD-77É' } } } as const

export function openNotes(file: string, options: OpenSqliteOptions = {}) {
  const db = openSqlite(file, options)
  return { db, notes: createStore({ db, resources }).resource('note') }
}

export async function fillNotes(file: string): Promise<void> {
  const { db } = openNotes(file, { pragmas: { synchronous: 'off' } })
  await createTables(db, resources)
  await sql`insert into note (word, text, rank) with recursive n (i) as (select 1 union all select i + 1 from n where i < ${ROWS})
    select 'word-' || i || 'é', printf('%0300d', i), i % 100 from n`.execute(db)
  await db.destroy()
}
