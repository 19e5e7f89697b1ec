import { ASCII_ONLY, type Comparing } from '../asking/condition.ts'
import { type Tables, tablesIn } from '../asking/policies/columns-of-tables.ts'
import type { Rights } from '../asking/policies/rights.ts'
import type { CollectionPath } from '../model/collection-path.ts'
import { DEFAULT_LIMITS } from '../model/descriptors/default-limits.ts'
import { tenantColumn } from '../model/descriptors/tenant.ts'
import { ALL_FIELDS, type FieldRights } from '../model/field-rights.ts'
import type { Model, Resource } from '../model/model.ts'
import type { AnyKysely } from './dialect/database.ts'
import type { Dialect } from './dialect/dialect.ts'
import { dialectOf } from './dialect/dialects.ts'
import { pluginsKey } from './dialect/kept-for-database.ts'
import { type LearnedTypes, typesNow, typesOfDatabase } from './dialect/postgres/learned-types.ts'
import { type Names, namesOf } from './text/sql-text.ts'

/**
 * Whose rows count in a model with tenants: those of the tenant who asks, or those of all. `each tenant`: a list has
 * the rows of all, and each of them has what is its own tenant's.
 */
export type Reach = 'one tenant' | 'each tenant' | 'all tenants'

/** The tenants of a model. */
export interface Tenants {
  readonly of: Resource
  /** What each table has for its tenant. */
  readonly column: string
  /** All tables of the model, by their names. */
  readonly tables: Tables
}

/** What every query is compiled with. */
export interface QueryContext {
  readonly db: AnyKysely
  /** Undefined where nothing depends on what the database says of its columns. */
  readonly model: Model | undefined
  readonly dialect: Dialect
  readonly names: Names
  readonly learnedTypes: LearnedTypes
  /** What a query is compiled with that depends on it: of others, nothing is compared. */
  readonly comparing: Comparing
  /** The most bytes that an answer may have. */
  readonly maxAnswer: number
  /** What the caller may do with which rows. Undefined: everything. */
  readonly rights: Rights | undefined
  /** Which fields the caller may see and set. */
  readonly fieldRights: FieldRights
  /** Undefined in a model without tenants. */
  readonly tenants: Tenants | undefined
  readonly reach: Reach
  /** Whether deleted rows count, too, that are only kept to be brought back. No answer shows one. */
  readonly seesDeleted: boolean
  /**
   * The resource whose deleted rows a query lists: these, and of other rows those that are there for them, which were
   * deleted together with the listed row. Undefined: no deleted row is there.
   */
  readonly listsDeleted: Resource | undefined
}

/** What differs between the contexts of one database. Default: everything is allowed, in a model without tenants. */
export type ContextOptions = {
  readonly [Name in 'model' | 'maxAnswer' | 'rights' | 'fieldRights' | 'reach']?: QueryContext[Name] | undefined
}

export function queryContext(db: AnyKysely, options: ContextOptions = {}): QueryContext {
  const { model, maxAnswer = DEFAULT_LIMITS.maxAnswer, fieldRights = ALL_FIELDS, reach = 'one tenant' } = options
  return {
    db,
    model,
    dialect: dialectOf(db),
    names: namesOf(db),
    learnedTypes: typesNow(typesOfDatabase(db), model),
    comparing: ASCII_ONLY,
    maxAnswer,
    rights: options.rights,
    fieldRights,
    tenants: model && tenantsOf(model),
    reach,
    seesDeleted: false,
    listsDeleted: undefined,
  }
}

/** For all rows that the database holds, also those that are kept after a DELETE: it holds foreign keys and ids against
 * a write all the same. */
export function ofHeld(context: QueryContext): QueryContext {
  return { ...context, seesDeleted: true }
}

/** For queries of a path: one of deleted records lists these. */
export function contextAt(context: QueryContext, { resource, kept }: CollectionPath): QueryContext {
  return kept ? { ...context, listsDeleted: resource } : context
}

/** Whether two instances compile a statement to the same text: a transaction and the instance that began it, say. */
export function compilesAlike(one: AnyKysely, other: AnyKysely): boolean {
  return one.getExecutor().adapter === other.getExecutor().adapter && pluginsKey(one) === pluginsKey(other)
}

function tenantsOf(model: Model): Tenants | undefined {
  const { tenant } = model
  if (tenant === undefined) return undefined
  const of = model.resources.get(tenant.resource) as Resource
  return { of, column: tenantColumn(tenant), tables: tablesIn(model) }
}
