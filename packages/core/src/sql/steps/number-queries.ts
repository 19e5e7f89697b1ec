import { sql } from 'kysely'
import type { QueryContext } from '../context.ts'
import { NUMBERS_TABLE } from '../text/own-tables.ts'
import { type Prepared, prepare } from '../text/prepare.ts'
import { join, slot } from '../text/sql-text.ts'

/** The last number of a group of rows (slots `tenant`, `counter`, `series`), once it has taken further ones (slot `count`). The row is locked. */
export interface NumberQueries {
  /** Begins with the slot `last` where no number was given yet. */
  readonly next: Prepared
  /** No row where no number was given yet. */
  readonly nextIfKnown: Prepared
}

export function numberQueries({ db, names }: QueryContext): NumberQueries {
  const table = names.table(NUMBERS_TABLE).sql
  const column = (name: string) => sql.id(names.column(name))
  const key = ['tenant', 'counter', 'series'] as const
  const keyColumns = join(key.map(column))
  const isKey = join(
    key.map((name) => sql`${column(name)} = ${slot(name)}`),
    sql` and `,
  )
  const last = column('last')
  return {
    next: prepare(
      db,
      sql`insert into ${table} as ${sql.id('n')} (${keyColumns}, ${last}) values (${join(key.map((name) => slot(name)))}, ${slot('last')}) on conflict (${keyColumns}) do update set ${last} = ${sql.id('n')}.${last} + ${slot('count')} returning ${last}`,
    ),
    nextIfKnown: prepare(
      db,
      sql`update ${table} set ${last} = ${last} + ${slot('count')} where ${isKey} returning ${last}`,
    ),
  }
}
