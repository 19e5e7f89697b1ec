import { DEFAULT_LIMITS } from '../model/descriptors/default-limits.ts'
import { ALL_FIELDS, type FieldRights } from '../model/field-rights.ts'
import type { Rights } from '../policies/rights.ts'
import { type AnyKysely, databaseOf } from './dialect/database.ts'
import type { Dialect } from './dialect/dialect.ts'
import { dialects } from './dialect/dialects.ts'
import { type LearnedTypes, learnedTypesOf } from './dialect/postgres/learned-types.ts'
import { type Names, namesOf } from './text/sql-text.ts'

/** What every query is compiled with. */
export interface QueryContext {
  readonly db: AnyKysely
  readonly dialect: Dialect
  readonly names: Names
  readonly learnedTypes: LearnedTypes
  /** The most bytes that an answer may have. */
  readonly maxAnswer: number
  /** What the caller may do with which rows. Undefined: everything. */
  readonly rights: Rights | undefined
  /** Which fields the caller may see and set. */
  readonly fieldRights: FieldRights
}

export function queryContext(
  db: AnyKysely,
  maxAnswer: number = DEFAULT_LIMITS.maxAnswer,
  rights?: Rights,
  fieldRights: FieldRights = ALL_FIELDS,
): QueryContext {
  return {
    db,
    dialect: dialects[databaseOf(db)],
    names: namesOf(db),
    learnedTypes: learnedTypesOf(db),
    maxAnswer,
    rights,
    fieldRights,
  }
}

/** Whether two instances compile a statement to the same text: a transaction and the instance that began it, say. */
export function compilesAlike(one: AnyKysely, other: AnyKysely): boolean {
  const [left, right] = [one.getExecutor(), other.getExecutor()]
  if (left.adapter !== right.adapter || left.plugins.length !== right.plugins.length) return false
  return left.plugins.every((plugin, index) => plugin === right.plugins[index])
}
