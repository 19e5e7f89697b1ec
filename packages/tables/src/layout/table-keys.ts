import type { Link, OwnerReference, Reference } from '@fastify-crud/core/internal'
import { columnsIn, conditionKey, type ForeignKeyLayout, type UniqueLayout } from './table-layout.ts'
import { type KeyStyle, keyTo } from './tenant-keys.ts'

export function ownerKey(owner: OwnerReference, keys: KeyStyle): ForeignKeyLayout {
  return foreignKey(owner, 'delete', keys)
}

export function referenceKey(reference: Reference, keys: KeyStyle): ForeignKeyLayout {
  return foreignKey(reference, reference.needs ? 'refuse' : 'clear', keys)
}

function foreignKey(
  { column, source, name, target, isConstrained }: OwnerReference | Reference,
  whenTargetGoes: ForeignKeyLayout['whenTargetGoes'],
  keys: KeyStyle,
): ForeignKeyLayout {
  const nameInModel = `${source.key}.${name}`
  return { ...keyTo(source, column, target, keys), nameInModel, target: target.table, whenTargetGoes, isConstrained }
}

/** What nobody writes here may be a view, which no foreign key can name. */
export function namesTable({ target }: Reference | Link): boolean {
  return target.isWritable
}

/**
 * Leaves out what names the same columns as an earlier one or the primary key, in whatever order: for the same rows, or
 * for some of the rows of another one.
 */
export function distinct(uniques: readonly UniqueLayout[], primaryKey: readonly string[]): readonly UniqueLayout[] {
  const seen = new Set([setOf(primaryKey)])
  const forAll = new Set([...seen, ...columnsIn(uniques).map(setOf)])
  return uniques.filter(({ columns, where }) => {
    if (where.length > 0 && forAll.has(setOf(columns))) return false
    const set = setOf(columns) + (where.length === 0 ? '' : conditionKey(where))
    return !seen.has(set) && seen.add(set)
  })
}

function setOf(columns: readonly string[]): string {
  return JSON.stringify([...columns].sort())
}

export function unindexed(
  foreignKeys: readonly Pick<ForeignKeyLayout, 'columns'>[],
  keys: readonly (readonly string[])[],
): readonly (readonly string[])[] {
  const leads = (columns: readonly string[]) => keys.some((key) => columns.every((one, index) => key[index] === one))
  return foreignKeys.map(({ columns }) => columns).filter((columns) => !leads(columns))
}
