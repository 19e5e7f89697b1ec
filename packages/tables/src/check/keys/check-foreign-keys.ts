import type { FoundForeignKey } from '../../catalogs/found-tables.ts'
import { isIndexed, isNameTaken, isSameSet } from '../../catalogs/found-tables.ts'
import { type ForeignKeyLayout, qualifiedName, type TableLayout } from '../../layout/table-layout.ts'
import { quoted, quotedTable } from '../../quoted-names.ts'
import type { ComparedTable, Pair } from '../comparison.ts'
import { alteration, type FoundProblem, problem, qualifiedColumn } from '../table-problem.ts'

/** Foreign keys that are missing, not enforced, slow, or do what the model does not say. */
export function checkForeignKeys({ table, found }: Pair, comparison: ComparedTable): readonly FoundProblem[] {
  const existing = comparison.foreignKeysOf.get(table.key) ?? []
  return table.foreignKeys.flatMap((key) => {
    if (!found.columns.has(key.column)) return []
    const onColumn = existing.filter(({ columns }) => isSameSet(columns, key.columns))
    return [
      ...checkTarget(table, key, onColumn, comparison),
      ...onColumn.flatMap((one) => checkAction(table, key, one)),
      ...(isIndexed(found, key.columns) ? [] : [notIndexed({ table, found }, key, comparison)]),
    ]
  })
}

/** Foreign keys that the model does not know, and that keep its records from being deleted, or delete them. */
export function checkUnknownForeignKeys({ layout, found }: ComparedTable): readonly FoundProblem[] {
  return found.foreignKeys.flatMap(({ name, table, tableName, columns, target, onDelete }) => {
    const to = target === undefined ? undefined : layout.get(target)
    const own = table === undefined ? undefined : layout.get(table)
    const isKnown = own?.foreignKeys.some((key) => isSameSet(columns, key.columns))
    if (to === undefined || !to.isWritable || isKnown) return []
    const found = `${tableName} (${columns.join(', ')})`
    if (onDelete === 'CASCADE' && own !== undefined) return [cascade(own, columns, to)]
    if (!['NO ACTION', 'RESTRICT'].includes(onDelete)) return []
    const what = `${found} references ${qualifiedName(to)}, but the model does not declare it`
    return [
      problem({
        kind: 'extra foreign key',
        severity: 'warning',
        table: to,
        found,
        name,
        what: `${what}: a record that it names cannot be deleted`,
      }),
    ]
  })
}

/** Of a table outside of the model, nobody expects rules or policies. */
function cascade(table: TableLayout, columns: readonly string[], to: TableLayout): FoundProblem {
  const what = `${qualifiedName(table)} (${columns.join(', ')}) references ${qualifiedName(to)} ON DELETE CASCADE, but the model does not declare it`
  const so = `with a row of ${qualifiedName(to)}, the database deletes rows of ${qualifiedName(table)} that no rule and no policy has seen`
  return problem({
    kind: 'extra foreign key',
    severity: 'warning',
    table,
    column: columns.length === 1 ? columns[0] : undefined,
    found: `ON DELETE CASCADE to ${qualifiedName(to)}`,
    what: `${what}: ${so}`,
  })
}

function checkTarget(
  table: TableLayout,
  key: ForeignKeyLayout,
  onColumn: readonly FoundForeignKey[],
  { database, layout, found, nameOf }: ComparedTable,
): readonly FoundProblem[] {
  const target = layout.get(key.target)
  if (target === undefined || !found.tables.has(key.target)) return []
  const at = qualifiedColumn(table, key.column)
  const wanted = qualifiedColumn(target, key.targetColumn)
  const finding = { kind: 'foreign key', severity: 'error', table, column: key.column, wanted } as const
  if (onColumn.length === 0 && !key.isConstrained) return []
  if (onColumn.length === 0) {
    const name = quoted(nameOf(table, 'fkey', [key.column]))
    const reference = `REFERENCES ${quotedTable(target)} (${quoted(...key.targetColumns)})`
    const what = `${at} has no foreign key to ${wanted}, for which ${key.nameInModel} would have to say constraint: false`
    const add = `ADD CONSTRAINT ${name} FOREIGN KEY (${quoted(...key.columns)}) ${reference}`
    return [problem({ ...finding, what, fix: alteration(database, table, add) })]
  }
  const isRight = (one: FoundForeignKey) => one.target === key.target && namesAlike(one, key)
  const wrong = onColumn.filter((one) => !isRight(one))
  const idle = onColumn.filter((one) => isRight(one) && !one.isEnforced)
  return [
    ...wrong.map(({ targetName, targetColumns }) => {
      const what = `${at} references ${targetName} (${targetColumns.join(', ')}), but ${key.nameInModel} names ${wanted}`
      return problem({ ...finding, found: `${targetName}.${targetColumns.join(', ')}`, what })
    }),
    ...idle.map(() => problem({ ...finding, found: 'not enforced', what: `the foreign key of ${at} is not enforced` })),
  ]
}

function checkAction(table: TableLayout, key: ForeignKeyLayout, existing: FoundForeignKey): readonly FoundProblem[] {
  const { onDelete, name } = existing
  const report = (so: string, severity: FoundProblem['severity'] = 'error') => [
    problem({
      kind: 'on delete',
      severity,
      table,
      column: key.column,
      wanted: 'NO ACTION',
      found: onDelete,
      name,
      fix: withoutAction(table, existing),
      what: `${qualifiedColumn(table, key.column)} is ON DELETE ${onDelete}: ${so}`,
    }),
  ]
  switch (onDelete) {
    case 'NO ACTION':
      return []
    case 'RESTRICT':
      return table.key === key.target ? report('records of one tree cannot be deleted together; use NO ACTION') : []
    case 'CASCADE':
      if (key.whenTargetGoes === 'delete') return []
      if (key.whenTargetGoes === 'refuse') return report(IS_NEEDED, 'warning')
      return report(`rows of ${table.name} would be deleted that have to stay; use NO ACTION`)
    case 'SET NULL':
      if (key.whenTargetGoes === 'clear') return []
      return report(`${key.nameInModel} would be lost; use NO ACTION`)
    case 'SET DEFAULT':
      return report(`${key.nameInModel} would become another record; use NO ACTION`)
  }
}

/** PostgreSQL: the same foreign key, but for what it does when the row that it names is deleted. */
function withoutAction(table: TableLayout, { name, definition }: FoundForeignKey): string | undefined {
  if (name === undefined || definition === undefined) return undefined
  const without = definition.replace(ACTION, (token) => (token.startsWith('"') ? token : ''))
  const constraint = quoted(name)
  return `ALTER TABLE ${quotedTable(table)} DROP CONSTRAINT ${constraint}, ADD CONSTRAINT ${constraint} ${without}`
}

/** Or a quoted name, which may hold the same words. */
const ACTION = /"(?:[^"]|"")*"| ON DELETE (?:CASCADE|RESTRICT|SET (?:NULL|DEFAULT)(?: \([^)]*\))?)/g

/** The service locks the row that is named before it counts those that need it (`writing/lock-others.ts`). */
const IS_NEEDED =
  'the service refuses to delete what is needed, but another program that deletes it deletes the row that needs it, too; use NO ACTION'

/** Whether each column names the column that the model says. */
function namesAlike(found: FoundForeignKey, key: ForeignKeyLayout): boolean {
  return key.columns.every((column, index) => {
    return found.targetColumns[found.columns.indexOf(column)] === key.targetColumns[index]
  })
}

function notIndexed(
  { table, found }: Pair,
  { column, columns }: ForeignKeyLayout,
  { nameOf }: ComparedTable,
): FoundProblem {
  const what = `${qualifiedColumn(table, column)} has no index: reads of related records and deletes read the whole table`
  const name = nameOf(table, 'idx', columns)
  return problem({
    kind: 'index',
    severity: 'warning',
    table,
    column,
    wanted: `an index over (${columns.join(', ')})`,
    what,
    fix: isNameTaken(found, name)
      ? undefined
      : `CREATE INDEX ${quoted(name)} ON ${quotedTable(table)} (${quoted(...columns)})`,
  })
}
