import { setNotNull } from '../../check/columns/null-statements.ts'
import type { TableLayout } from '../../layout/table-layout.ts'
import { quoted, quotedTable } from '../../quoted-names.ts'
import { patiently, run, type Step, unless } from '../change.ts'
import type { Setting } from '../setting.ts'
import { constraintExists } from './exists.ts'

/**
 * Forbids null while others write. PostgreSQL reads no row for NOT NULL where a valid CHECK says so, and validates one
 * beside others. `fill` runs once no new row can lack the value.
 */
export function forbidNull(
  table: TableLayout,
  column: string,
  { planned }: Setting,
  fill: readonly Step[] = [],
): readonly Step[] {
  const alter = `ALTER TABLE ${quotedTable(table)}`
  const check = planned.comparison.nameOf(table, 'filled_check', [column])
  const add = `${alter} ADD CONSTRAINT ${quoted(check)} CHECK (${quoted(column)} IS NOT NULL) NOT VALID`
  return [
    patiently(unless(constraintExists(table, check), [add])),
    ...fill,
    patiently(run(`${alter} VALIDATE CONSTRAINT ${quoted(check)}`)),
    patiently(run(setNotNull(table, column), `${alter} DROP CONSTRAINT ${quoted(check)}`)),
  ]
}
