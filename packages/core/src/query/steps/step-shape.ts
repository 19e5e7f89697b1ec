import type { Resource } from '../../model/model.ts'
import type { QueryContext } from '../context.ts'
import type { AnyKysely } from '../dialect/database.ts'
import { type Prepared, prepare } from '../prepare.ts'
import type { Sql } from '../sql-text.ts'

/**
 * One step of a plan as SQL. While they are few, rows and ids are parameters of their own; more travel in one, so that the
 * SQL depends on the kind of step and its columns only.
 */
export interface StepPart {
  readonly shape: StepShape
  readonly values: readonly unknown[]
}

/** The SQL of all steps that differ in their values only. */
export class StepShape {
  /** No other shape has it. */
  readonly name: string
  /** The statement; its slots are numbered from `first` on, `idOf` tells how it finds the id of the only new row of a resource. */
  readonly sql: (first: number, idOf: (resource: Resource) => Sql) => Sql
  readonly #db: AnyKysely
  #alone: Prepared | undefined

  constructor({ db }: QueryContext, name: string, sql: StepShape['sql']) {
    this.name = name
    this.sql = sql
    this.#db = db
  }

  /** The same on its own, where ids are known. */
  alone(): Prepared {
    this.#alone ??= prepare(this.#db, this.sql(0, refuseUnknown))
    return this.#alone
  }
}

function refuseUnknown({ key }: Resource): never {
  throw new Error(`the id of the new ${key} should be known`)
}
