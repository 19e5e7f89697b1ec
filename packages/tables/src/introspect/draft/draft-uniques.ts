import type { KeyConditionDeclaration } from '@fastify-crud/core'
import { type Constant, fieldCheck, storageOf, textFormat } from '@fastify-crud/core/internal'
import { type FoundCondition, textsOf } from '../../catalogs/found-conditions.ts'
import type { FoundIndex } from '../../catalogs/found-tables.ts'
import type { CatalogTable } from '../read/catalog.ts'
import type { FieldDraft, OwnRelation, TableId, UniqueDraft } from './draft.ts'
import type { Exclusions } from './exclusions.ts'

/**
 * The unique keys of a table, as lists of names, or with the condition of a partial index.
 *
 * @param names those of fields and relations, by the column
 * @param notes gets a sentence for each key that stays the database's own
 */
export function draftUniques(
  table: CatalogTable,
  id: TableId,
  names: ReadonlyMap<string, string>,
  fields: readonly FieldDraft[],
  relations: readonly OwnRelation[],
  exclusions: Exclusions,
  notes: string[],
): UniqueDraft[] {
  const idColumns = id.members ?? [id.column ?? '']
  const singles = new Set(relations.filter(isUniqueItself).map(({ foreignKey }) => foreignKey.column))
  const found = new Map<string, UniqueDraft>()
  for (const index of table.found.indexes) {
    if (
      !index.isUnique ||
      index.columns.some((column) => column !== undefined && !names.has(column) && idColumns.includes(column))
    )
      continue
    const members = index.columns.map((column) => names.get(column ?? ''))
    const columns = index.columns.filter((column) => column !== undefined)
    if (isSameSet(columns, idColumns) || (columns.length === 1 && singles.has(columns[0] ?? ''))) continue
    const where = index.isPartial ? draftConditions(table, index, names, fields) : {}
    const isForAll = where !== undefined && Object.keys(where).length === 0
    const named = members as readonly string[]
    const unique = where === undefined || isForAll ? named : { fields: named, where }
    const reason =
      whyNone(where === undefined, index.isDeferred, members.includes(undefined), index.nullsAreEqual) ??
      exclusions.ofUnique(table.name, unique)
    if (reason === undefined) {
      const set = JSON.stringify([...columns].sort())
      found.set(isForAll ? set : `${set} ${JSON.stringify(where)}`, unique)
    } else notes.push(`The unique index ${JSON.stringify(index.name)} stays the database's own: ${reason}`)
  }
  return [...found.values()]
}

function whyNone(
  isOtherwisePartial: boolean,
  isDeferred: boolean,
  isOther: boolean,
  nullsAreEqual: boolean,
): string | undefined {
  if (isOtherwisePartial) return 'it holds for some rows only, by a condition of its own'
  if (isDeferred) return 'it is checked at the end of a transaction'
  if (nullsAreEqual) return 'it takes two nulls for the same'
  return isOther ? 'it is over an expression, or a column that is left out' : undefined
}

/** The relation says so already. */
function isUniqueItself({ relation, options }: OwnRelation): boolean {
  return relation === 'ownedBy' || (relation === 'needs.one' && options.unique === true)
}

function isSameSet(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((one) => others.includes(one))
}

/**
 * The condition of a partial unique index as a descriptor has it; undefined if it cannot say it. It is empty if it
 * holds for all rows.
 *
 * @param names those of fields and relations, by the column
 */
function draftConditions(
  table: CatalogTable,
  { where }: FoundIndex,
  names: ReadonlyMap<string, string>,
  fields: readonly FieldDraft[],
): Readonly<Record<string, KeyConditionDeclaration>> | undefined {
  if (where === undefined) return undefined
  const conditions: Record<string, KeyConditionDeclaration> = {}
  for (const { column, is } of where) {
    const name = names.get(column)
    const isNeverNull = table.found.columns.get(column)?.notNull === true
    if (is === 'not null' && isNeverNull) continue
    const field = fields.find((one) => one.column === column)
    const declared = field?.options.writeOnly === true ? undefined : declaredAs(is, field)
    if (name === undefined || declared === undefined || Object.hasOwn(conditions, name)) return undefined
    if (is === 'null' && isNeverNull) return undefined
    conditions[name] = declared
  }
  return conditions
}

/** `field`: undefined for a relation. */
function declaredAs(is: FoundCondition['is'], field: FieldDraft | undefined): KeyConditionDeclaration | undefined {
  const storage = field && storageOf(field.schema)
  const kind = storage !== undefined && 'kind' in storage ? storage.kind : undefined
  if (kind === 'json' || kind === 'bytes') return undefined
  if (is === 'null') return null
  if (is === 'not null') return { null: false }
  if (field === undefined || kind === undefined || kind === 'date') return undefined
  if (textFormat(field.schema) !== undefined || field.schema.stored !== undefined) return undefined
  const value = constantOf(is.text, kind)
  return value !== undefined && fieldCheck(field.schema, kind)(value).length === 0 ? value : undefined
}

function constantOf(text: string, kind: 'string' | 'integer' | 'number' | 'boolean'): Constant | undefined {
  switch (kind) {
    case 'string':
      return text
    case 'boolean':
      return [true, false].find((value) => textsOf(value).includes(text))
    case 'integer':
    case 'number':
      return text === '' || !Number.isFinite(Number(text)) ? undefined : Number(text)
  }
}
