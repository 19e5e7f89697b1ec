import { sql } from 'kysely'
import type { ColumnForm, ColumnForms } from '../column-form.ts'
import { momentInUtc } from '../moment-in-utc.ts'

/** A `timestamp` whose times are those of a zone. In autumn, an hour is there twice: it is read as standard time. */
function ofZone(zone: string): ColumnForm {
  const atZone = sql.raw(`at time zone '${zone}'`)
  const read: ColumnForm['read'] = (column) => sql`(${column} ${atZone})`
  return {
    read,
    compared: read,
    encode: (value) => momentInUtc(String(value)),
    type: 'timestamp',
    fits: ['timestamp'],
    write: (value) => sql`(((${value})::timestamp at time zone 'UTC') ${atZone})`,
  }
}

/** PostgreSQL reads a text for a `timestamp` without regard to its offset. In UTC there is none. */
export const utcForm: ColumnForm = { ...ofZone('UTC'), write: (value) => value }

export const postgresForms: ColumnForms = {
  named: (name) => (name === 'utc' ? utcForm : undefined),
  ofZone,
}
