import { shortened } from '../errors.ts'
import type { KeptRecords } from '../model/collection-path.ts'
import type { FieldRights } from '../model/field-rights.ts'
import type { IdForm } from '../model/ids/short-id.ts'
import type { Relation, Resource } from '../model/model.ts'
import { allRelationsOf } from '../model/resource-tree.ts'
import type { ScalarType } from './scalar-type.ts'

/** What a query may name, and how much of it. */
export interface Scope {
  /** Resources whose records are not there for the client. No path leads to them. */
  readonly hidden: ReadonlySet<Resource>
  /** Fields that the client does not see cannot be named. */
  readonly fieldRights: FieldRights
  /** How ids of the records that a path begins at are spelled. */
  readonly ids: IdForm
  /** Collects the resources that names of the query lead to, or may be meant to, also where something else is wrong
   * with it. */
  readonly named?: Set<Resource>
  /** Collects what the parts of the query cost. */
  readonly costs: LocatedCost[]
  readonly limits: ReadingLimits
  /** Whether SQL can compare decimal numbers exactly, and knows time zones: on SQLite only where `openSqlite` has
   * opened the connection. */
  readonly hasFunctions: boolean
  /** The field that records of the query have besides those of their resource. */
  readonly shows?: KeptRecords['shows'] | undefined
  /** Whether problems tell where in a parameter they are: the parameters are the body of a request. */
  readonly isInBody?: boolean
  /** Whether indexes can find the records with a part of a text. */
  readonly findsParts: boolean
}

/** How much one query may ask for. */
export interface ReadingLimits {
  /** Conditions of one filter; beyond: `CRUD_ERR_INVALID`. Default 50. */
  readonly maxFilters: number
  /** Filters inside each other; beyond: `CRUD_ERR_INVALID`. Default 5. */
  readonly maxFilterDepth: number
  /**
   * What one query may cost; beyond: `CRUD_ERR_INVALID`. In filters, a comparison costs 1, a part of a text 3, or 5
   * whatever the case of its letters, a computed field 10 besides, a relation in a path 1, and 10 if it leads to
   * several records. Sorts, searches, groups and long lists of fields count, too. Default 100.
   */
  readonly maxCost: number
  /** The highest limit of an array that `include` adds; beyond: `CRUD_ERR_INVALID`. Default 1,000. */
  readonly maxNested: number
  /** The limit of a list, multiplied by those of the arrays that `include` adds along a path; beyond:
   * `CRUD_ERR_INVALID`. Default 100,000. */
  readonly maxRows: number
  /** Rows that are read to group them; beyond: `CRUD_ERR_INVALID`. Default 1,000,000. */
  readonly groupRows: number
  /** How the records of a list are counted if the request does not say: `'exact'` (the default), `'none'`, or up to a
   * number. */
  readonly count: Count
}

/** What one part of a query costs, and where it is. */
export interface LocatedCost {
  readonly parameter: string
  readonly location: string
  readonly cost: number
}

/** Once so many things are wrong with a query, the rest of it is not read: nobody reads more, and each has to be
 * compared with all names. */
export const MOST_PROBLEMS = 100

/** How many relations away from a record `include` adds relations. */
export const MOST_ADDED_LEVELS = 3

export function tooDeep(name: string): string {
  return `'${shortened(name)}' is more than ${MOST_ADDED_LEVELS} relations away`
}

/** Why the client of this database cannot compare values of the type; undefined if it can. */
export function whyIncomparable(type: ScalarType | undefined, { hasFunctions }: Scope): string | undefined {
  if (type !== 'decimal' || hasFunctions) return undefined
  return 'this connection to SQLite cannot compare decimal numbers; open it by openSqlite'
}

/** The relations of a resource, by their names, without those that lead to hidden records. */
export function relationsOf(resource: Resource, { hidden }: Pick<Scope, 'hidden'>): readonly Relation[] {
  const all = allRelationsOf(resource)
  return hidden.size === 0 ? all : all.filter(({ target }) => !hidden.has(target))
}

/** How the records of a list are counted: all of them, not at all, or as many as a number says. */
export type Count = 'exact' | 'none' | number

/** Whether a value is one of the ways to count. */
export function isCount(value: unknown): value is Count {
  return value === 'exact' || value === 'none' || (Number.isSafeInteger(value) && (value as number) >= 1)
}

/** The message for any other value. */
export const COUNT_PROBLEM = "must be 'exact', 'none' or an integer from 1"

/** Ways to count with equal shapes differ only in the number. */
export function countShape(count: Count): string {
  return typeof count === 'number' ? 'some' : count
}
