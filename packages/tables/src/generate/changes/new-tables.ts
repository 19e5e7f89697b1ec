import type { AnyKysely } from '@fastify-crud/core'
import { renameColumn } from '../../check/comparison.ts'
import type { ConstraintNames } from '../../create/constraint-names.ts'
import { createTable, foreignKeyText, type PlannedTable, type ResolvedForeignKey } from '../../create/create-table.ts'
import type { TableLayout } from '../../layout/table-layout.ts'
import { quoted, quotedTable } from '../../quoted-names.ts'
import { type Change, type FileKind, ordinary, run, unless } from '../change.ts'
import type { PlannedChanges } from '../planned.ts'
import { constraintExists } from '../setting.ts'
import { rebuilt } from './key-changes.ts'

/**
 * Tables that are missing. After a `down` they are there already, with their rows.
 *
 * `toTenants`: where keys get a tenant to begin with, the file in which they do. Tables that are no tenant's come
 * before that, as one has the tenants.
 */
export function newTables(
  db: AnyKysely,
  { created, comparison }: PlannedChanges,
  toTenants: FileKind | undefined,
): readonly Change[] {
  const { nameOf, database } = comparison
  // A key that names the tenant too is there while the key is that it names.
  const comesAndGoes = ({ columns }: ResolvedForeignKey) => columns.length > 1 && isKeyFile(toTenants, comparison)
  const tables = created.map(({ table, inline }): Change => {
    const keys = inline.filter((key) => !comesAndGoes(key))
    const up = [run(createTable(db, table, keys, nameOf).compile().sql)]
    const isFirst = toTenants !== undefined && table.lead === undefined
    const isRebuilt = database === 'sqlite' && keys.length < inline.length
    const file = isFirst ? toTenants : isRebuilt ? 'rebuild' : 'ordinary'
    return { file, phase: isFirst ? 'tenant' : 'create', reason: `the table ${table.name} is missing`, up, down: [] }
  })
  const late = created.flatMap((one) => [
    ...one.late.filter((key) => !comesAndGoes(key)).map((key) => lateKey(one, key, comparison)),
    ...[...one.inline, ...one.late].filter(comesAndGoes).map((key) => keyOfTenants(one, key, comparison)),
  ])
  return [...tables, ...late]
}

function isKeyFile(toTenants: FileKind | undefined, { database }: PlannedChanges['comparison']): boolean {
  return toTenants !== undefined && (database === 'postgres' || toTenants === 'rebuild')
}

function lateKey({ table }: PlannedTable, key: ResolvedForeignKey, { nameOf }: PlannedChanges['comparison']): Change {
  return ordinary('create', `${table.name} and ${key.to.name} name each other`, [addKey(table, key, nameOf)])
}

function keyOfTenants(
  { table }: PlannedTable,
  key: ResolvedForeignKey,
  { database, nameOf }: PlannedChanges['comparison'],
): Change {
  const name = nameOf(table, 'fkey', [key.column])
  const reason = `${table.name}.${key.column} has no foreign key to ${key.to.name}`
  if (database === 'sqlite') {
    const text = foreignKeyText(name, key.columns, key.to, key.targetColumns)
    return rebuilt(table, reason, { from: '', to: text }, 'foreign key')
  }
  const drop = `ALTER TABLE ${quotedTable(table)} DROP CONSTRAINT IF EXISTS ${quoted(name)}`
  return ordinary('foreign key', reason, [addKey(table, key, nameOf)], [run(drop)])
}

function addKey(
  table: TableLayout,
  { column, columns, to, targetColumns }: ResolvedForeignKey,
  nameOf: ConstraintNames,
) {
  const name = nameOf(table, 'fkey', [column])
  const add = `ALTER TABLE ${quotedTable(table)} ADD ${foreignKeyText(name, columns, to, targetColumns)}`
  return unless(constraintExists(table, name), [add])
}

/** Columns whose fields have another name. */
export function renames({ renamed }: PlannedChanges): readonly Change[] {
  return renamed.map(({ table, from, to }) => {
    const [up, down] = [renameColumn(table, from, to), renameColumn(table, to, from)]
    return ordinary('rename', `${table.name}.${from} is called ${to} now`, [run(up)], [run(down)])
  })
}
