import type { AnyKysely } from '../../../query/dialect/database.ts'
import { renameColumn } from '../../check/renamed-columns.ts'
import { createTable, type ResolvedForeignKey } from '../../create/create-table.ts'
import type { TableLayout } from '../../create/table-layout.ts'
import { quoted, quotedTable } from '../../quoted-names.ts'
import { type Change, type Outcome, run, unless } from '../change.ts'
import type { Planned } from '../planned.ts'
import { constraintExists } from './exists.ts'

/** Tables that are missing. After a `down` they are there already, with their rows. */
export function newTables(db: AnyKysely, { created, comparison }: Planned): readonly Change[] {
  const { nameOf } = comparison
  const tables = created.map(({ table, inline }): Change => {
    const up = [run(createTable(db, table, inline, nameOf).compile().sql)]
    return { file: 'ordinary', phase: 'create', reason: `the table ${table.name} is missing`, up, down: [] }
  })
  return [...tables, ...created.flatMap(({ table, late }) => late.map((key) => lateKey(table, key, nameOf)))]
}

function lateKey(table: TableLayout, key: ResolvedForeignKey, nameOf: Planned['comparison']['nameOf']): Change {
  const { column, to, targetColumn } = key
  const name = nameOf(table, 'fkey', [column])
  const reference = `FOREIGN KEY (${quoted(column)}) REFERENCES ${quotedTable(to)} (${quoted(targetColumn)})`
  const add = `ALTER TABLE ${quotedTable(table)} ADD CONSTRAINT ${quoted(name)} ${reference}`
  const reason = `${table.name} and ${to.name} name each other`
  return { file: 'ordinary', phase: 'create', reason, up: [unless(constraintExists(table, name), [add])], down: [] }
}

/** Columns whose fields have another name. */
export function renames({ renamed }: Planned): Outcome {
  const changes = renamed.map(({ table, from, to }): Change => {
    const reason = `${table.name}.${from} is called ${to} now`
    const [up, down] = [renameColumn(table, from, to), renameColumn(table, to, from)]
    return { file: 'ordinary', phase: 'rename', reason, up: [run(up)], down: [run(down)] }
  })
  return { changes }
}
