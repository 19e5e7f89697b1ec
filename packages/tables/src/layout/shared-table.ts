import { distinct, unindexed } from './table-keys.ts'
import { type ColumnLayout, columnsIn, type ForeignKeyLayout, type TableLayout } from './table-layout.ts'

/** One table of the layouts of all resources that share it. What only some of them require may be null. */
export function sharedTable(tables: readonly TableLayout[]): TableLayout {
  const [first, another] = tables as readonly [TableLayout, ...TableLayout[]]
  if (another === undefined) return first
  const columns = [
    ...Map.groupBy(
      tables.flatMap((table) => table.columns),
      ({ name }) => name,
    ).values(),
  ].map((all) => {
    const isInAll = all.length === tables.length
    return { ...(all[0] as ColumnLayout), nullable: !isInAll || all.some(({ nullable }) => nullable) }
  })
  const foreignKeys = Map.groupBy(
    tables.flatMap((table) => table.foreignKeys),
    ({ column }) => column,
  )
  const uniques = distinct(
    tables.flatMap((table) => table.uniques),
    first.primaryKey,
  )
  const lists = tables.flatMap((table) => table.declaredIndexes)
  const declaredIndexes = [...new Map(lists.map((names) => [JSON.stringify(names), names])).values()]
  const keys = [...foreignKeys.values()].map(strictest)
  // Those that no foreign key holds, too.
  const ofColumns = columns
    .filter(({ kind, name }) => kind === 'foreignKey' && !foreignKeys.has(name))
    .map(({ name }) => ({ columns: [name] }))
  return {
    ...first,
    columns,
    foreignKeys: keys,
    uniques,
    indexes: unindexed([...keys, ...ofColumns], [first.primaryKey, ...columnsIn(uniques), ...declaredIndexes]),
    declaredIndexes,
    searched: [...new Set(tables.flatMap(({ searched }) => searched))],
    owners: ownersOf(tables),
  }
}

/** The database refuses what one of the resources has it refuse. */
function strictest(keys: readonly ForeignKeyLayout[]): ForeignKeyLayout {
  const by = (action: ForeignKeyLayout['whenTargetGoes']) =>
    keys.find(({ whenTargetGoes }) => whenTargetGoes === action)
  return by('refuse') ?? by('clear') ?? (keys[0] as ForeignKeyLayout)
}

/** A row of any resource has at most one owner, and exactly one where this holds for all of them. */
function ownersOf(tables: readonly TableLayout[]): TableLayout['owners'] {
  const all = tables.flatMap(({ owners }) => owners ?? [])
  if (all.length === 0) return undefined
  const columns = [...new Set(all.flatMap((owners) => owners.columns))]
  const isSame = all.length === tables.length && all.every((owners) => owners.columns.length === columns.length)
  return { columns, optional: !isSame || all.some(({ optional }) => optional) }
}
