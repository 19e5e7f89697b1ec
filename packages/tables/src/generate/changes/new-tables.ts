import type { AnyKysely } from '@fastify-crud/core'
import { renameColumn } from '../../check/comparison.ts'
import { createTable, type ResolvedForeignKey } from '../../create/create-table.ts'
import type { PlannedTable } from '../../create/missing-tables.ts'
import { quoted, quotedTable } from '../../quoted-names.ts'
import { type Change, type ChangeOutcome, type FileKind, type MigrationStep, run, unless } from '../change.ts'
import type { PlannedChanges } from '../planned.ts'
import { addedForeignKey } from '../rebuild/cut-keys.ts'
import { constraintExists } from '../setting.ts'

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
    const isFirst = toTenants !== undefined && table.tenantColumn === undefined
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
  const name = nameOf(table, 'fkey', [key.column])
  const up = [unless(constraintExists(table, name), [addKey(table, key, name)])]
  return { file: 'ordinary', phase: 'create', reason: `${table.name} and ${key.to.name} name each other`, up, down: [] }
}

function keyOfTenants(
  { table }: PlannedTable,
  key: ResolvedForeignKey,
  { database, nameOf }: PlannedChanges['comparison'],
): Change {
  const name = nameOf(table, 'fkey', [key.column])
  const reason = `${table.name}.${key.column} has no foreign key to ${key.to.name}`
  if (database === 'postgres') {
    const up = [unless(constraintExists(table, name), [addKey(table, key, name)])]
    const down = [run(`ALTER TABLE ${quotedTable(table)} DROP CONSTRAINT IF EXISTS ${quoted(name)}`)]
    return { file: 'ordinary', phase: 'foreign key', reason, up, down }
  }
  const { from, to } = addedForeignKey(name, key.columns, key.to.name, key.targetColumns)
  const rebuild = (edit: { from: string; to: string }): MigrationStep[] => [{ table: table.name, edits: [edit] }]
  return {
    file: 'rebuild',
    phase: 'foreign key',
    reason,
    up: rebuild({ from, to }),
    down: rebuild({ from: to, to: from }),
  }
}

function addKey(
  table: PlannedTable['table'],
  { columns, to, targetColumns }: ResolvedForeignKey,
  name: string,
): string {
  const reference = `FOREIGN KEY (${quoted(...columns)}) REFERENCES ${quotedTable(to)} (${quoted(...targetColumns)})`
  return `ALTER TABLE ${quotedTable(table)} ADD CONSTRAINT ${quoted(name)} ${reference}`
}

/** Columns whose fields have another name. */
export function renames({ renamed }: PlannedChanges): ChangeOutcome {
  const changes = renamed.map(({ table, from, to }): Change => {
    const reason = `${table.name}.${from} is called ${to} now`
    const [up, down] = [renameColumn(table, from, to), renameColumn(table, to, from)]
    return { file: 'ordinary', phase: 'rename', reason, up: [run(up)], down: [run(down)] }
  })
  return { changes }
}
