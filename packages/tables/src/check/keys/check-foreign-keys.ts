import { type FoundForeignKey, isIndexed, isNameTaken, isSameSet } from '../../catalogs/found-tables.ts'
import { foreignKeyText } from '../../create/create-table.ts'
import { plainIndex } from '../../create/wanted-indexes.ts'
import { type ForeignKeyLayout, qualifiedName, type TableLayout } from '../../layout/table-layout.ts'
import { quoted, quotedTable } from '../../quoted-names.ts'
import type { ComparedTable } from '../comparison.ts'
import { alteration, type Difference, type Pair, qualifiedColumn } from '../difference.ts'
import { hasValues, typeInKey } from './types-of-keys.ts'

/** Foreign keys that are missing, not enforced, slow, or do what the model does not say. */
export function checkForeignKeys(at: Pair, comparison: ComparedTable): readonly Difference[] {
  const { table, found } = at
  const existing = comparison.foreignKeysOf.get(table.key) ?? []
  return table.foreignKeys.flatMap((key) => {
    if (!found.columns.has(key.column)) return []
    const onColumn = existing.filter(({ columns }) => isSameSet(columns, key.columns))
    const otherType = checkTypes(at, key, comparison)
    if (otherType !== undefined) return [otherType]
    return [
      ...checkTarget(at, key, onColumn, comparison),
      ...onColumn.flatMap((one) => checkAction(at, key, one)),
      ...(isIndexed(found, key.columns) ? [] : [notIndexed(at, key, comparison)]),
    ]
  })
}

/** Foreign keys that the model does not know, and that keep its records from being deleted, or delete them. */
export function checkUnknownForeignKeys({ layout, found }: ComparedTable): readonly Difference[] {
  return found.foreignKeys.flatMap(({ table, tableName, columns, target, onDelete }): readonly Difference[] => {
    const to = target === undefined ? undefined : layout.get(target)
    const own = table === undefined ? undefined : layout.get(table)
    const isKnown = own?.foreignKeys.some((key) => isSameSet(columns, key.columns))
    if (to === undefined || !to.isWritable || isKnown) return []
    if (onDelete === 'CASCADE' && own !== undefined) return [cascade(own, columns, to)]
    if (!['NO ACTION', 'RESTRICT'].includes(onDelete)) return []
    const found = `${tableName} (${columns.join(', ')})`
    const is = `${found} references ${qualifiedName(to)}, but the model does not declare it`
    const what = `${is}: a record that it names cannot be deleted`
    return [{ kind: 'extra foreign key', severity: 'warning', at: { table: to }, found, what }]
  })
}

/** Of a table outside of the model, nobody expects rules or policies. */
function cascade(table: TableLayout, columns: readonly string[], to: TableLayout): Difference {
  const is = `${qualifiedName(table)} (${columns.join(', ')}) references ${qualifiedName(to)} ON DELETE CASCADE, but the model does not declare it`
  const so = `with a row of ${qualifiedName(to)}, the database deletes rows of ${qualifiedName(table)} that no rule and no policy has seen`
  const texts = { found: `ON DELETE CASCADE to ${qualifiedName(to)}`, what: `${is}: ${so}` }
  return { kind: 'extra foreign key', severity: 'warning', at: { table }, columns, ...texts }
}

/** A column that PostgreSQL cannot compare with what it names: one of them was made for another kind of values. */
function checkTypes(
  at: Pair,
  { column: name, target, targetColumn }: ForeignKeyLayout,
  { database, layout, found }: ComparedTable,
): Difference | undefined {
  const column = at.table.columns.find((one) => one.name === name)
  const [existing, named] = [at.found.columns.get(name), found.tables.get(target)?.columns.get(targetColumn)]
  const to = layout.get(target)
  if (database === 'sqlite' || column === undefined || to === undefined || !hasValues(column)) return undefined
  if (existing === undefined || named === undefined || typeInKey(existing) === typeInKey(named)) return undefined
  const names = `${qualifiedColumn(to, targetColumn)}, which it names, is of type ${named.definition}`
  const what = `${qualifiedColumn(at.table, name)} is of type ${existing.definition}, but ${names}: give both the same type`
  const types = { wanted: named.definition, found: existing.definition }
  return { kind: 'type', severity: 'error', at, column, existing, ...types, what }
}

function checkTarget(
  at: Pair,
  key: ForeignKeyLayout,
  onColumn: readonly FoundForeignKey[],
  { database, layout, found, nameOf }: ComparedTable,
): readonly Difference[] {
  const { table } = at
  const to = layout.get(key.target)
  if (to === undefined || !found.tables.has(key.target)) return []
  const own = qualifiedColumn(table, key.column)
  const wanted = qualifiedColumn(to, key.targetColumn)
  const columns = [key.column]
  const difference = { kind: 'foreign key', severity: 'error', at, key, to, columns, wanted } as const
  if (onColumn.length === 0) {
    if (!key.isConstrained) return []
    const what = `${own} has no foreign key to ${wanted}, for which ${key.nameInModel} would have to say constraint: false`
    const add = `ADD ${foreignKeyText(nameOf(table, 'fkey', columns), key.columns, to, key.targetColumns)}`
    return [{ ...difference, existing: undefined, what, fix: alteration(database, table, add) }]
  }
  const isRight = (one: FoundForeignKey) => one.target === key.target && namesAlike(one, key)
  const wrong = onColumn.filter((one) => !isRight(one))
  const idle = onColumn.filter((one) => isRight(one) && !one.isEnforced)
  return [
    ...wrong.map((existing) => {
      const { targetName, targetColumns } = existing
      const what = `${own} references ${targetName} (${targetColumns.join(', ')}), but ${key.nameInModel} names ${wanted}`
      return { ...difference, existing, found: `${targetName}.${targetColumns.join(', ')}`, what }
    }),
    ...idle.map((existing) => {
      return { ...difference, existing, found: 'not enforced', what: `the foreign key of ${own} is not enforced` }
    }),
  ]
}

function checkAction(at: Pair, key: ForeignKeyLayout, existing: FoundForeignKey): readonly Difference[] {
  const { table } = at
  const { onDelete } = existing
  const report = (so: string, severity: Difference['severity'] = 'error'): readonly Difference[] => {
    const what = `${qualifiedColumn(table, key.column)} is ON DELETE ${onDelete}: ${so}`
    const texts = { wanted: 'NO ACTION', found: onDelete, what, fix: withoutAction(table, existing) }
    return [{ kind: 'on delete', severity, at, key, existing, columns: [key.column], ...texts }]
  }
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
function withoutAction(table: TableLayout, { name, definition }: FoundForeignKey): Difference['fix'] {
  if (name === undefined || definition === undefined) return undefined
  const without = definition.replace(ACTION, (token) => (token.startsWith('"') ? token : ''))
  const constraint = quoted(name)
  return [`ALTER TABLE ${quotedTable(table)} DROP CONSTRAINT ${constraint}, ADD CONSTRAINT ${constraint} ${without}`]
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

function notIndexed(at: Pair, { column, columns }: ForeignKeyLayout, { nameOf }: ComparedTable): Difference {
  const { table, found } = at
  const index = plainIndex(table, columns, nameOf)
  return {
    ...{ kind: 'index', severity: 'warning', at, columns: [column] },
    // The tenant's column may be missing.
    ...(columns.every((one) => found.columns.has(one)) && { index }),
    wanted: `an index over (${columns.join(', ')})`,
    what: `${qualifiedColumn(table, column)} has no index: reads of related records and deletes read the whole table`,
    fix: isNameTaken(found, index.name) ? undefined : [`CREATE INDEX ${index.definition}`],
  }
}
